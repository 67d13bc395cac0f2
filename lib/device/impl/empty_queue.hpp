// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Makes a queue that is in reset as a new one is, but for its CQ, whose indices no command takes
// back: they go on. Unless that is to be made anew: then `anew`, here.
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/scope.hpp"
#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// Consumes the CQEs that are there from `index` on, those of flushed WQEs; returns what comes
/// next. One thread. The queue is in reset, so no more come: there are no more than the ring holds.
RS_DEVICE_CALL std::uint64_t skip_cqes(const Cqe* ring, std::uint32_t log_depth,
                                       std::uint64_t index) {
  const std::uint64_t mask = (std::uint64_t{1} << log_depth) - 1;
  while (cqe_is_ready(load_acquire_system(&ring[index & mask].op_own),
                      static_cast<std::uint32_t>(index), log_depth)) {
    ++index;
  }
  return index;
}

/// The ring as of a CQ that is yet to be made. One thread; returns the index of its first CQE.
RS_DEVICE_CALL std::uint64_t unwrite_cqes(Cqe* ring, std::uint32_t log_depth) {
  RS_NOT_UNROLLED
  for (std::uint32_t i = 0; i < 1U << log_depth; ++i) ring[i].op_own = kCqeInitialOpOwn;
  return 0;
}

RS_DEVICE void write_cq_record(CqDoorbellRecord* record, std::uint64_t consumed) {
  store_relaxed_system(&record->consumer_index.raw,
                       Be32::of(static_cast<std::uint32_t>(consumed) & 0xffffffU).raw);
}

/// Returns the cursors of the empty ring. One thread. The device takes the record as the producer
/// index from the moment that it is ready; a release comes before that: have_reset().
RS_DEVICE TxQueueState empty_send_ring(const TxQueueHandle& queue, std::uint64_t cq_consumed,
                                       bool anew) {
  const TxQueueState state{0, 0,
                           anew ? unwrite_cqes(queue.cqe, queue.log_cq_depth)
                                : skip_cqes(queue.cqe, queue.log_cq_depth, cq_consumed)};
  write_cq_record(queue.cq_record, state.cq_consumed);
  store_relaxed_system(&queue.record->send_counter.raw, Be32::of(0).raw);
  return state;
}

RS_DEVICE TxQueueState empty_sends(const TxQueueHandle& queue, std::uint64_t cq_consumed,
                                   bool anew) {
  const TxQueueState state = empty_send_ring(queue, cq_consumed, anew);
  *queue.state = state;
  return state;
}

/// The same of a receive queue whose slots are all free, and of which so many CQEs were taken. Its
/// threads share the work. Returns the new cq_offset, in rank 0.
template <Scope S>
RS_DEVICE std::uint64_t empty_receives(S& scope, const RxQueueHandle& queue,
                                       std::uint64_t cq_consumed, bool anew) {
  RS_NOT_UNROLLED
  for (std::uint32_t slot = scope.rank(); slot < 1U << queue.log_depth; slot += scope.size()) {
    queue.slot_references[slot] = 0;
  }
  if (scope.rank() != 0) return 0;
  const std::uint64_t consumed = anew ? unwrite_cqes(queue.cqe, queue.log_cq_depth)
                                      : skip_cqes(queue.cqe, queue.log_cq_depth, cq_consumed);
  write_cq_record(queue.cq_record, consumed);
  store_relaxed_system(&queue.record->receive_counter.raw, Be32::of(0).raw);
  *queue.state = RxQueueState{};
  return consumed;
}

}  // namespace ringside
