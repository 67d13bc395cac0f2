// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receive queues.
#include "lib/mlx5/format/striding.hpp"
#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/queue_state.hpp"
#include "lib/softcx/cmd/ring.hpp"
#include "lib/softcx/cmd/unsupported.hpp"
#include "lib/softcx/nic/uar_table.hpp"

namespace softcx {
namespace {

namespace rqc = prm::rqc;
namespace wq = prm::wq;

constexpr prm::Context kRqc = prm::create_rq_in::ctx;
constexpr prm::Context kWq = kRqc / rqc::wq;

constexpr Unsupported kUnsupported[] = {
    {rqc::hairpin, "a hairpin queue"},
    {rqc::mem_rq_type, "a memory RQ of its own (RMP)"},
    {rqc::scatter_fcs, "keeping the FCS"},
    {rqc::delay_drop_en, "delayed drop"},
};

RingRequest ring_request(const Command& command) {
  return {
      .kind = "RQ",
      .ring = {command.get(kWq / wq::wq_umem_id), command.get(kWq / wq::wq_umem_offset)},
      .record = {command.get(kWq / wq::dbr_umem_id), command.get(kWq / wq::dbr_addr)},
      .ring_bytes = std::uint64_t{1}
                    << (command.get(kWq / wq::log_wq_sz) + command.get(kWq / wq::log_wq_stride)),
      .page_offset = command.get(kWq / wq::page_offset),
      .log_page_size = command.get(kWq / wq::log_wq_pg_sz),
      .nic_writes_ring = false,
  };
}

/// How packets share the queue's WQEs, as the context's type and strides say.
Strides strides_of(const Command& command) {
  Strides strides;
  const std::uint32_t type = command.get(kWq / wq::wq_type);
  if (type != static_cast<std::uint32_t>(prm::WqType::kCyclicStriding)) {
    check_cyclic(command, "RQ", kWq);
    for (const prm::Field field : {wq::single_wqe_log_num_of_strides,
                                   wq::single_stride_log_num_of_bytes, wq::two_byte_shift_en}) {
      if (command.get(kWq / field) == 0) continue;
      refuse(Rule::kStridesOutOfRange, "RQ: strides, in a queue that does not stride");
    }
    return strides;
  }
  strides.log_count =
      ringside::log_strides_of(command.get(kWq / wq::single_wqe_log_num_of_strides));
  strides.log_bytes =
      command.get(kWq / wq::single_stride_log_num_of_bytes) + ringside::kLogStrideBytesBase;
  strides.shift = command.get(kWq / wq::two_byte_shift_en) != 0 ? ringside::kStrideShift : 0;
  if (strides.log_count > kLogMaxStrides) {
    refuse(Rule::kStridesOutOfRange, "RQ: 2^{} strides a WQE, 2^{} to 2^{} can be",
           strides.log_count, kLogMinStrides, kLogMaxStrides);
  }
  return strides;
}

/// A WQE has room for a scatter entry, behind the segment with which striding ones begin.
void check_wqe_size(std::uint32_t log_stride, const Strides& strides) {
  const std::uint32_t least = strides.shared() ? ringside::kLogStridingWqe : kLogMinReceiveStride;
  if (log_stride < least || log_stride > kLogMaxReceiveStride) {
    refuse(Rule::kStrideOutOfRange, "RQ: log_wq_stride {} not in {}..{}", log_stride, least,
           kLogMaxReceiveStride);
  }
}

/// The counter set that `id` names; 0 is none.
QCounter* counter_of(Device& device, std::uint32_t id) {
  return id == 0 ? nullptr : &find_q_counter(device, id);
}

}  // namespace

void create_rq(Command& command) {
  Device& device = command.device();
  check_wq(command, "RQ", kWq);
  refuse_unsupported(command, "RQ", kRqc, kUnsupported);
  const StampFormat stamps = stamp_format(device, "RQ", command.get(kRqc / rqc::ts_format));
  const Strides strides = strides_of(command);
  const std::uint32_t stride = command.get(kWq / wq::log_wq_stride);
  check_wqe_size(stride, strides);
  if (command.get(kRqc / rqc::state) != 0) {
    refuse(Rule::kCreatedNotInReset, "RQ: created in state {}, not in reset",
           command.get(kRqc / rqc::state));
  }
  Cq& cq = find_cq(device, command.get(kRqc / rqc::cqn));
  const std::uint32_t pdn = command.get(kWq / wq::pd);
  Domain& pd = find_pd(device, pdn);
  QCounter* const counter = counter_of(device, command.get(kRqc / rqc::counter_set_id));
  const RingMemory memory = place_ring(device, ring_request(command));

  auto rq = std::make_unique<Rq>();
  rq->device = &device;
  rq->rqn = new_number(device, device.rqs, "RQ");
  rq->log_depth = command.get(kWq / wq::log_wq_sz);
  rq->log_stride = stride;
  rq->strides = strides;
  rq->ring = memory.ring;
  rq->record = reinterpret_cast<ringside::DoorbellRecord*>(memory.record);
  rq->pdn = pdn;
  rq->user_index = command.get(kRqc / rqc::user_index);
  rq->vlan_strip_disable.store(command.get(kRqc / rqc::vsd) != 0, std::memory_order_relaxed);
  rq->flush_in_error = command.get(kRqc / rqc::flush_in_error_en) != 0;
  rq->stamps = stamps;
  rq->cq = &cq;
  rq->counter = counter;
  rq->ring_umem = memory.ring_umem;
  rq->record_umem = memory.record_umem;
  rq->faults = make_queue_faults(device.faults, device.index,
                                 {FaultKind::kRxError, FaultKind::kCqOverrun}, rq->rqn);
  Rq& made = *rq;
  const std::uint32_t rqn = made.rqn;
  device.rqs.emplace(rqn, std::move(rq));
  add_receive_queue(device, made);
  hold_umems(memory);
  ++cq.references;
  ++pd.references;
  if (counter != nullptr) ++counter->references;
  command.set(prm::create_rq_out::rqn, rqn);
}

void modify_rq(Command& command) {
  namespace modify_in = prm::modify_rq_in;
  Device& device = command.device();
  Rq& rq = find_rq(device, command.get(modify_in::rqn));
  const std::uint64_t bitmask = command.get(modify_in::modify_bitmask);
  if ((bitmask & ~modify_in::kVsd) != 0) {
    refuse(Rule::kModifyUnsupported,
           "RQ: modify_bitmask {:#x}: only state and VLAN stripping can change", bitmask);
  }
  const std::uint32_t wanted = command.get(modify_in::ctx / rqc::state);
  // Acquire: an error state may come from the engine thread.
  const QueueState actual = rq.state.load(std::memory_order_acquire);
  check_transition("RQ", actual, command.get(modify_in::rq_state), wanted);
  if ((bitmask & modify_in::kVsd) != 0) {
    rq.vlan_strip_disable.store(command.get(modify_in::ctx / rqc::vsd) != 0,
                                std::memory_order_relaxed);
  }
  change_state(device, rq, actual, static_cast<QueueState>(wanted));
}

void query_rq(Command& command) {
  const Rq& rq = find_rq(command.device(), command.get(prm::query_rq_in::rqn));
  constexpr prm::Context kOut = prm::query_rq_out::rq_context;
  command.set(kOut / rqc::state,
              static_cast<std::uint32_t>(rq.state.load(std::memory_order_acquire)));
  command.set(kOut / rqc::vsd, rq.vlan_strip_disable.load(std::memory_order_relaxed) ? 1 : 0);
  command.set(kOut / rqc::flush_in_error_en, rq.flush_in_error ? 1 : 0);
  command.set(kOut / rqc::user_index, rq.user_index);
  command.set(kOut / rqc::cqn, rq.cq->cqn);
  command.set(kOut / rqc::counter_set_id, rq.counter != nullptr ? rq.counter->id : 0);
  const bool striding = rq.strides.shared();
  command.set(
      kOut / rqc::wq / wq::wq_type,
      static_cast<std::uint32_t>(striding ? prm::WqType::kCyclicStriding : prm::WqType::kCyclic));
  if (striding) {
    command.set(kOut / rqc::wq / wq::single_wqe_log_num_of_strides,
                ringside::stride_count_field(rq.strides.log_count));
    command.set(kOut / rqc::wq / wq::single_stride_log_num_of_bytes,
                rq.strides.log_bytes - ringside::kLogStrideBytesBase);
    command.set(kOut / rqc::wq / wq::two_byte_shift_en, rq.strides.shift != 0 ? 1 : 0);
  }
  command.set(kOut / rqc::wq / wq::pd, rq.pdn);
  command.set(kOut / rqc::wq / wq::log_wq_stride, rq.log_stride);
  command.set(kOut / rqc::wq / wq::log_wq_sz, rq.log_depth);
}

void destroy_rq(Command& command) {
  Device& device = command.device();
  const std::uint32_t rqn = command.get(prm::command_in::object_id);
  Rq& rq = find_rq(device, rqn);
  refuse_if_referenced(rq.references, "RQ", rqn);
  remove_receive_queue(device, rq);  // waits: no TIR or RQT leads here any more
  release_umems(rq);
  --rq.cq->references;
  --device.pds.at(rq.pdn).references;
  if (rq.counter != nullptr) --rq.counter->references;
  device.rqs.erase(rqn);
}

}  // namespace softcx
