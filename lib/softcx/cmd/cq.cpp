// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Completion queues.
#include "lib/mlx5/format/prm_cq.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/ring.hpp"
#include "lib/softcx/cmd/unsupported.hpp"

namespace softcx {
namespace {

namespace create_in = prm::create_cq_in;
namespace cqc = prm::cqc;

constexpr prm::Context kCqc = create_in::cq_context;

/// cqe_comp_en is taken, although compression is not among the capabilities: it lets the NIC
/// compress and does not oblige it, and the PMD sets it without looking at the capability.
constexpr Unsupported kUnsupported[] = {
    {cqc::cqe_sz, "a CQE of 128 bytes"},
    {cqc::cc, "a collapsed CQ"},
};

RingRequest ring_request(const Command& command, std::uint32_t log_depth) {
  return {
      .kind = "CQ",
      .ring = {command.get(create_in::cq_umem_id), command.get(create_in::cq_umem_offset)},
      .record = {command.get(kCqc / cqc::dbr_umem_id), command.get(kCqc / cqc::dbr_addr)},
      .ring_bytes = sizeof(ringside::Cqe) << log_depth,
      .page_offset = command.get(kCqc / cqc::page_offset),
      .log_page_size = command.get(kCqc / cqc::log_page_size),
      .nic_writes_ring = true,
  };
}

}  // namespace

void create_cq(Command& command) {
  Device& device = command.device();
  refuse_unsupported(command, "CQ", kCqc, kUnsupported);
  const std::uint32_t log_depth = command.get(kCqc / cqc::log_cq_size);
  if (log_depth > kLogMaxCqDepth) {
    refuse(Rule::kSizeAboveLimit, "CQ: log_cq_size {} above {}", log_depth, kLogMaxCqDepth);
  }
  const std::uint32_t eqn = command.get(kCqc / cqc::c_eqn);
  if (eqn != kEventQueueNumber) {
    refuse(Rule::kNoSuchEq, "CQ: no event queue {}", eqn);
  }
  Uar& uar = find_uar(device, command.get(kCqc / cqc::uar_page));
  const RingMemory memory = place_ring(device, ring_request(command, log_depth));

  auto cq = std::make_unique<Cq>();
  cq->cqn = new_number(device, device.cqs, "CQ");
  cq->log_depth = log_depth;
  cq->ring = reinterpret_cast<ringside::Cqe*>(memory.ring);
  cq->record = reinterpret_cast<ringside::CqDoorbellRecord*>(memory.record);
  cq->home = memory.ring_umem->memory.home;
  cq->overrun_ignore = command.get(kCqc / cqc::oi) != 0;
  cq->uar = &uar;
  cq->ring_umem = memory.ring_umem;
  cq->record_umem = memory.record_umem;
  const std::uint32_t cqn = cq->cqn;
  device.cqs.emplace(cqn, std::move(cq));
  hold_umems(memory);
  ++uar.references;
  command.set(prm::create_cq_out::cqn, cqn);
}

/// Moderation is all that can change, and there are no interrupts to moderate.
void modify_cq(Command& command) {
  namespace modify_in = prm::modify_cq_in;
  find_cq(command.device(), command.get(modify_in::cqn));
  const std::uint32_t fields = command.get(modify_in::modify_field_select);
  if ((fields & ~(modify_in::kPeriod | modify_in::kMaxCount)) != 0) {
    refuse(Rule::kModifyUnsupported, "CQ: modify_field_select {:#x}: only moderation can change",
           fields);
  }
}

void query_cq(Command& command) {
  const Cq& cq = find_cq(command.device(), command.get(prm::command_in::object_id));
  constexpr std::uint32_t kStatusFine = 0;
  constexpr std::uint32_t kStatusOverrun = 9;
  constexpr prm::Context kOut = prm::query_cq_out::cq_context;
  const bool failed = cq.failed.load(std::memory_order_acquire);
  command.set(kOut / cqc::status, failed ? kStatusOverrun : kStatusFine);
  command.set(kOut / cqc::log_cq_size, cq.log_depth);
  command.set(kOut / cqc::oi, cq.overrun_ignore ? 1 : 0);
  command.set(kOut / cqc::c_eqn, kEventQueueNumber);
}

void destroy_cq(Command& command) {
  Device& device = command.device();
  const std::uint32_t cqn = command.get(prm::command_in::object_id);
  Cq& cq = find_cq(device, cqn);
  refuse_if_referenced(cq.references, "CQ", cqn);
  // Without a queue that names it the engine thread cannot reach it, once it has passed a quiescent
  // point since the last such queue was destroyed: destroy_sq and destroy_rq wait for that.
  release_umems(cq);
  --cq.uar->references;
  device.cqs.erase(cqn);
}

}  // namespace softcx
