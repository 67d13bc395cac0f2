// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What receive queues have in common, whoever owns them.
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/rx_batch.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// The CQ's count of the CQE of packet `index`.
RS_DEVICE std::uint32_t cq_index(const RxQueueHandle& queue, std::uint64_t index) {
  return static_cast<std::uint32_t>(index + queue.cq_offset);
}
RS_DEVICE const Cqe* cqe_at(const RxQueueHandle& queue, std::uint64_t index) {
  return queue.cqe + (cq_index(queue, index) & ((1U << queue.log_cq_depth) - 1));
}
/// Is it there, by the byte that its owner bit is in?
RS_DEVICE bool cqe_is_ready(const RxQueueHandle& queue, std::uint64_t index, std::uint8_t op_own) {
  return cqe_is_ready(op_own, cq_index(queue, index), queue.log_cq_depth);
}
RS_DEVICE std::uint32_t slot_of(const RxQueueHandle& queue, std::uint64_t index) {
  return static_cast<std::uint32_t>(index) & ((1U << queue.log_depth) - 1);
}

/// Of the CQE that ended a batch which says `stopped`.
RS_DEVICE QueueError stop_error_of(const RxQueueHandle& queue, const RxBatch& batch) {
  return queue_error(*cqe_at(queue, batch.first + batch.count));
}

/// Does an error CQE stop a receive queue? Any other syndrome is about one packet.
RS_DEVICE constexpr bool stops_receive_queue(std::uint8_t syndrome) {
  switch (static_cast<CqeSyndrome>(syndrome)) {
    case CqeSyndrome::kLocalQpOperation:
    case CqeSyndrome::kLocalProtection:
    case CqeSyndrome::kWorkRequestFlushed:
      return true;
    default:
      return false;
  }
}

/// Tells the NIC which completions were taken and which WQEs are its again, of 2^log_depth. One
/// thread.
RS_DEVICE void write_receive_records(const RxQueueHandle& queue, std::uint64_t received,
                                     std::uint64_t released, std::uint32_t log_depth) {
  // The completion queue's record first: a slot that the NIC has back may complete at once, and the
  // completion queue must have room for it by then, or it overruns. Its CQEs have been acquired,
  // so nothing that was read in them can come after it. The release of the other record orders the
  // two, and keeps all that this block did to buffers before the NIC's next writes to them.
  store_relaxed_system(
      &queue.cq_record->consumer_index.raw,
      Be32::of(static_cast<std::uint32_t>(received + queue.cq_offset) & 0xffffffU).raw);
  store_release_system(
      &queue.record->receive_counter.raw,
      Be32::of((static_cast<std::uint32_t>(released) + (1U << log_depth)) & 0xffffU).raw);
}

/// The same of a queue whose slots are its WQEs, and for the next kernel.
RS_DEVICE void announce_receives(const RxQueueHandle& queue, const RxQueueState& state) {
  *queue.state = state;
  write_receive_records(queue, state.received, state.released, queue.log_depth);
}

}  // namespace ringside
