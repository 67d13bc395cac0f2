// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/tx_queue.hpp"

#include <cstddef>
#include <utility>

#include "lib/mlx5/format/split_wqe.hpp"
#include "lib/mlx5/nic_time.hpp"

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kLogStride = 6;  // basic blocks

/// 0: the queue cannot wait.
std::uint64_t queue_wait_mask(const Capabilities& capabilities) {
  if (!capabilities.wait_on_time) return 0;
  return wait_mask(capabilities.send_timestamps, capabilities.clock_khz);
}

DoorbellKind doorbell_for(const Capabilities& capabilities, SendHabit habit) {
  return habit == SendHabit::kLoneWqes && capabilities.blue_flame ? DoorbellKind::kBlueFlame
                                                                  : DoorbellKind::kRegular;
}

}  // namespace

std::size_t TxQueue::ring_bytes(std::uint32_t log_depth) noexcept {
  const std::size_t block = kWqeBasicBlock + sizeof(Cqe);
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 4 * RingArena::kLine;  // records
  return (block << log_depth) + pages + lines;
}

std::size_t TxQueue::kernel_bytes(std::uint32_t log_depth) noexcept {
  const std::size_t lines = 4 * RingArena::kLine;  // state, alignment of the array
  return (sizeof(std::uint32_t) << log_depth) + lines;
}

TxQueue::TxQueue(const QueueDomain& domain, const QueueArenas& arenas, std::uint32_t log_depth,
                 std::uint32_t lkey, SendHabit habit)
    : domain_(domain),
      log_depth_(log_depth),
      lkey_(lkey),
      habit_(habit),
      multi_packet_(domain.capabilities().multi_packet_sends),
      wait_mask_(queue_wait_mask(domain.capabilities())),
      ns_to_stamp_(mlx5::ns_to_stamp(domain.capabilities().send_timestamps,
                                     domain.capabilities().clock_khz)),
      stamp_to_ns_(mlx5::stamp_to_ns(domain.capabilities().send_timestamps,
                                     domain.capabilities().clock_khz)),
      ring_(arenas.rings.take(std::size_t{kWqeBasicBlock} << log_depth, RingArena::kPage)),
      record_(arenas.rings.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arenas.rings.take(sizeof(Cqe) << log_depth, RingArena::kPage)),
      cq_record_(arenas.rings.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arenas.kernel.take(sizeof(TxQueueState), RingArena::kLine)),
      wqe_slot_(arenas.kernel.take(sizeof(std::uint32_t) << log_depth, RingArena::kLine)),
      uar_(domain.context(), doorbell_for(domain.capabilities(), habit)),
      cq_(make_cq(EmptiedBy::kCpu)),
      sq_(make_sq(cq_)) {
  wqe_slot_.write_array(std::vector<std::uint32_t>(std::size_t{1} << log_depth, kNoSlot));
  sq_.make_ready();
}

Cq TxQueue::make_cq(EmptiedBy emptied_by) const {
  return domain_.make_cq(log_depth_, cq_ring_, cq_record_, emptied_by);
}

Sq TxQueue::make_sq(const Cq& cq) const {
  return {domain_.context(),
          {.wq = {.log_depth = log_depth_,
                  .log_stride = kLogStride,
                  .pd = domain_.pd(),
                  .uar_page = uar_.page_id(),
                  .ring = ring_,
                  .record = record_},
           .cq = cq.number(),
           .tis = domain_.tis(),
           .timestamps = domain_.capabilities().send_timestamps,
           .multi_packet = multi_packet_}};
}

TxQueueHandle TxQueue::handle(const DoorbellTarget& target) const noexcept {
  return TxQueueHandle{
      .wqe = ring_.kernel<SendWqe>(),
      .record = record_.kernel<DoorbellRecord>(),
      .doorbell = target.kernel_pointer(),
      .cqe = cq_.kernel_ring(),
      .cq_record = cq_.kernel_record(),
      .wqe_slot = wqe_slot_.kernel<std::uint32_t>(),
      .state = state_.kernel<TxQueueState>(),
      .lkey = lkey_,
      .log_depth = log_depth_,
      .log_cq_depth = cq_.log_depth(),
      .sqn = sq_.number(),
      .in_gpu_memory = false,
      .doorbell_kind = target.is_register() ? uar_.kind() : DoorbellKind::kRegular,
      .multi_packet = multi_packet_,
      .wait_mask = wait_mask_,
      .header_lkey = lkey_,
  };
}

std::string TxQueue::doorbell_note() const {
  if (habit_ == SendHabit::kBatches || uar_.kind() == DoorbellKind::kBlueFlame) return "";
  return fmt::format("send queue {:#x} goes by the regular doorbell, not by BlueFlame: {}",
                     number(),
                     uar_.refusal().empty() ? "the NIC's registers take no WQEs" : uar_.refusal());
}

std::uint64_t TxQueue::in_flight() const {
  const auto state = state_.read<TxQueueState>();
  return state.posted - state.completed;
}

std::uint64_t TxQueue::bytes_in_flight() const {
  const auto state = state_.read<TxQueueState>();
  const auto ring = ring_.read_array<SplitSendWqe>(std::size_t{1} << log_depth_);
  std::uint64_t bytes = 0;
  for (std::uint64_t index = state.completed; index < state.posted; ++index) {
    bytes += frame_bytes(ring[index & (ring.size() - 1)]);
  }
  return bytes;
}

void TxQueue::recover() {
  sq_.reset();
  // The device takes the record as the producer index from the moment that it is ready.
  record_.write_word(offsetof(DoorbellRecord, send_counter), 0);
  TxQueueState state{};
  if (cq_.overrun()) {
    renew(EmptiedBy::kCpu);
  } else {
    state.cq_consumed = cq_.skip_completions(state_.read<TxQueueState>().cq_consumed);
  }
  state_.write(state);
  sq_.make_ready();
}

void TxQueue::renew(EmptiedBy emptied_by) {
  // No command takes a completion queue out of its error, nor a send queue to another one. The
  // former ones stay until both are made; then the send queue goes first, since it names the other.
  Cq cq = make_cq(emptied_by);
  sq_ = make_sq(cq);
  cq_ = std::move(cq);
}

}  // namespace ringside::mlx5
