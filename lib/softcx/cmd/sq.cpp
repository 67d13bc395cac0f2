// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Send queues.
#include <algorithm>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/queue_state.hpp"
#include "lib/softcx/cmd/ring.hpp"
#include "lib/softcx/cmd/unsupported.hpp"
#include "lib/softcx/nic/uar_table.hpp"

namespace softcx {
namespace {

namespace sqc = prm::sqc;
namespace wq = prm::wq;

constexpr prm::Context kSqc = prm::create_sq_in::ctx;
constexpr prm::Context kWq = kSqc / sqc::wq;

constexpr Unsupported kUnsupported[] = {
    {sqc::hairpin, "a hairpin queue"},
    {sqc::reg_umr, "UMR"},
    {sqc::allow_swp, "software parsing"},
    {sqc::non_wire, "a non-wire SQ"},
    {sqc::static_sq_wq, "a static SQ"},
    {sqc::cd_master, "cross-channel"},
    {sqc::packet_pacing_rate_limit_index, "packet pacing"},
};
/// What a NIC that wants headers inline (--fault=min-inline) has not.
constexpr Unsupported kUnsupportedInline[] = {
    {sqc::allow_multi_pkt_send_wqe, "a WQE of several packets"},
};

std::uint32_t inline_mode_of(const Command& command) {
  const std::uint32_t vport = vport_inline_mode(command.device());
  if (vport != 0) refuse_unsupported(command, "SQ", kSqc, kUnsupportedInline);
  const std::uint32_t mode = command.get(kSqc / sqc::min_wqe_inline_mode);
  if (mode > static_cast<std::uint32_t>(prm::InlineMode::kTcpUdp)) {
    refuse(Rule::kInlineModeUnknown,
           "SQ: min_wqe_inline_mode {}, up to TCP/UDP headers (3) are there", mode);
  }
  return std::max(mode, vport);
}

Tis& tis_of(const Command& command) {
  const std::uint32_t count = command.get(kSqc / sqc::tis_lst_sz);
  if (count != 1) {
    refuse(Rule::kNoTis, "SQ: tis_lst_sz {}, one TIS is needed", count);
  }
  return find_tis(command.device(), command.get(kSqc / sqc::tis_num_0));
}

RingRequest ring_request(const Command& command) {
  return {
      .kind = "SQ",
      .ring = {command.get(kWq / wq::wq_umem_id), command.get(kWq / wq::wq_umem_offset)},
      .record = {command.get(kWq / wq::dbr_umem_id), command.get(kWq / wq::dbr_addr)},
      .ring_bytes = std::uint64_t{ringside::kWqeBasicBlock} << command.get(kWq / wq::log_wq_sz),
      .page_offset = command.get(kWq / wq::page_offset),
      .log_page_size = command.get(kWq / wq::log_wq_pg_sz),
      .nic_writes_ring = false,
  };
}

}  // namespace

void create_sq(Command& command) {
  Device& device = command.device();
  refuse_unsupported(command, "SQ", kSqc, kUnsupported);
  check_cyclic(command, "SQ", kWq);
  check_wq(command, "SQ", kWq);
  const StampFormat stamps = stamp_format(device, "SQ", command.get(kSqc / sqc::ts_format));
  const std::uint32_t stride = command.get(kWq / wq::log_wq_stride);
  if (stride != kLogSendStride) {
    refuse(Rule::kStrideOutOfRange, "SQ: log_wq_stride {}, {} is needed", stride, kLogSendStride);
  }
  if (command.get(kSqc / sqc::state) != 0) {
    refuse(Rule::kCreatedNotInReset, "SQ: created in state {}, not in reset",
           command.get(kSqc / sqc::state));
  }
  const std::uint32_t inline_mode = inline_mode_of(command);
  Cq& cq = find_cq(device, command.get(kSqc / sqc::cqn));
  Tis& tis = tis_of(command);
  const std::uint32_t pdn = command.get(kWq / wq::pd);
  Domain& pd = find_pd(device, pdn);
  Uar& uar = find_uar(device, command.get(kWq / wq::uar_page));
  const RingMemory memory = place_ring(device, ring_request(command));

  auto sq = std::make_unique<Sq>();
  sq->device = &device;
  sq->sqn = new_number(device, device.sqs, "SQ");
  sq->log_depth = command.get(kWq / wq::log_wq_sz);
  sq->ring = memory.ring;
  sq->record = reinterpret_cast<ringside::DoorbellRecord*>(memory.record);
  sq->pdn = pdn;
  sq->user_index = command.get(kSqc / sqc::user_index);
  sq->min_inline_mode = static_cast<std::uint8_t>(inline_mode);
  sq->flush_in_error = command.get(kSqc / sqc::flush_in_error_en) != 0;
  sq->multi_packet_wqe = command.get(kSqc / sqc::allow_multi_pkt_send_wqe) != 0;
  sq->stamps = stamps;
  sq->cq = &cq;
  sq->uar = &uar;
  sq->tis = &tis;
  sq->ring_umem = memory.ring_umem;
  sq->record_umem = memory.record_umem;
  sq->faults = make_queue_faults(
      device.faults, device.index,
      {FaultKind::kTxError, FaultKind::kCqOverrun, FaultKind::kStalledNic}, sq->sqn);
  Sq* const made = sq.get();
  device.sqs.emplace(made->sqn, std::move(sq));
  hold_umems(memory);
  ++cq.references;
  ++tis.references;
  ++pd.references;
  bind_send_queue(device, *made);
  command.set(prm::create_sq_out::sqn, made->sqn);
}

void modify_sq(Command& command) {
  namespace modify_in = prm::modify_sq_in;
  Device& device = command.device();
  Sq& sq = find_sq(device, command.get(modify_in::sqn));
  if (command.get(modify_in::modify_bitmask) != 0) {
    refuse(Rule::kModifyUnsupported, "SQ: modify_bitmask {:#x}: only the state can change",
           command.get(modify_in::modify_bitmask));
  }
  const std::uint32_t wanted = command.get(modify_in::ctx / sqc::state);
  // Acquire: an error state may come from the engine thread.
  const QueueState actual = sq.state.load(std::memory_order_acquire);
  check_transition("SQ", actual, command.get(modify_in::sq_state), wanted);
  change_state(device, sq, actual, static_cast<QueueState>(wanted));
}

void query_sq(Command& command) {
  const Sq& sq = find_sq(command.device(), command.get(prm::query_sq_in::sqn));
  constexpr prm::Context kOut = prm::query_sq_out::sq_context;
  command.set(kOut / sqc::state,
              static_cast<std::uint32_t>(sq.state.load(std::memory_order_acquire)));
  command.set(kOut / sqc::flush_in_error_en, sq.flush_in_error ? 1 : 0);
  command.set(kOut / sqc::allow_multi_pkt_send_wqe, sq.multi_packet_wqe ? 1 : 0);
  command.set(kOut / sqc::min_wqe_inline_mode, sq.min_inline_mode);
  command.set(kOut / sqc::user_index, sq.user_index);
  command.set(kOut / sqc::cqn, sq.cq->cqn);
  command.set(kOut / sqc::tis_lst_sz, 1);
  command.set(kOut / sqc::tis_num_0, sq.tis->tisn);
  command.set(kOut / sqc::wq / wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclic));
  command.set(kOut / sqc::wq / wq::pd, sq.pdn);
  command.set(kOut / sqc::wq / wq::uar_page, sq.uar->page_id);
  command.set(kOut / sqc::wq / wq::log_wq_stride, kLogSendStride);
  command.set(kOut / sqc::wq / wq::log_wq_sz, sq.log_depth);
}

void destroy_sq(Command& command) {
  Device& device = command.device();
  Sq& sq = find_sq(device, command.get(prm::command_in::object_id));
  unbind_send_queue(device, sq);  // waits: the engine thread has let go of it
  release_umems(sq);
  --sq.cq->references;
  --sq.tis->references;
  --device.pds.at(sq.pdn).references;
  device.sqs.erase(sq.sqn);
}

}  // namespace softcx
