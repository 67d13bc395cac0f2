// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads a send queue's completions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/tx.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// CQEs that one round trip looks at: the next, and the 2nd, 4th, 8th, ... from there.
inline constexpr std::uint32_t kCqesAtOnce = 8;
/// For read_send_cqes(): all that are there.
inline constexpr std::uint32_t kAllCqes = ~0U;

/// What a CQE says of a send; wqe_counter holds if it is ready.
struct SendCompletion {
  bool is_ready;
  std::uint8_t op_own;
  std::uint16_t wqe_counter;
};

/// A send queue's CQ, of what a look needs.
struct SendCq {
  const Cqe* ring;
  std::uint32_t log_depth;

  RS_DEVICE const Cqe* at(std::uint64_t index) const {
    return ring + (index & ((std::uint64_t{1} << log_depth) - 1));
  }
};

/// Looks at kCount CQEs, number i being the one 2^i - 1 after `index`; one that the ring does
/// not hold at the same time is not ready. Acquires: meets the NIC's writes of those that are
/// ready, and the NIC has read the WQEs and buffers that they complete.
template <std::uint32_t kCount>
RS_DEVICE void look_at_cqes(const SendCq& cq, std::uint64_t index,
                            SendCompletion (&completions)[kCount]) {
  const auto is_ready = [&](std::uint32_t i, std::uint8_t op_own) {
    const std::uint64_t at = index + (1U << i) - 1;
    return (at - index) >> cq.log_depth == 0 &&
           cqe_is_ready(op_own, static_cast<std::uint32_t>(at), cq.log_depth);
  };
#if defined(__CUDACC__)
  // The counter and op_own lie in one word, which the NIC writes as a whole. The loads are under
  // way together, and one fence after them acquires for all.
  static_assert(offsetof(Cqe, wqe_counter) == 60 && offsetof(Cqe, op_own) == 63);
  std::uint32_t words[kCount];
  for (std::uint32_t i = 0; i < kCount; ++i) {
    words[i] = load_relaxed_system(
        reinterpret_cast<const std::uint32_t*>(&cq.at(index + (1U << i) - 1)->wqe_counter));
  }
  fence_acquire_system();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto op_own = static_cast<std::uint8_t>(words[i] >> 24);
    completions[i] = {is_ready(i, op_own), op_own, byte_swap(static_cast<std::uint16_t>(words[i]))};
  }
#else
  // A CPU may see the counter of before with the op_own of now, so in turn.
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const Cqe* const cqe = cq.at(index + (1U << i) - 1);
    const std::uint8_t op_own = load_acquire_system(&cqe->op_own);
    completions[i] = {is_ready(i, op_own), op_own, 0};
    if (completions[i].is_ready) completions[i].wqe_counter = cqe->wqe_counter.value();
  }
#endif
}

/// Takes in CQE number `ahead` from the next on, and all before it. false: it stops the queue.
RS_DEVICE bool take_send_cqe(const SendCq& cq, TxProgress& progress, std::uint32_t ahead,
                             const SendCompletion& completion) {
  progress.cq_consumed += ahead + 1;
  if (take_completion(progress, completion.op_own, completion.wqe_counter)) return true;
  progress.error = queue_error(*cq.at(progress.cq_consumed - 1));
  return false;
}

/// Reads the CQEs that are there, one of them or kAllCqes. One thread. There is at most one CQE a
/// WQE in flight, so it ends.
RS_DEVICE_CALL TxProgress read_send_cqes(SendCq cq, std::uint64_t completed,
                                         std::uint64_t cq_consumed, std::uint32_t most) {
  TxProgress progress{completed, cq_consumed, false, {}};
  if (most == 1) {
    SendCompletion next[1];
    look_at_cqes(cq, cq_consumed, next);
    if (next[0].is_ready) take_send_cqe(cq, progress, 0, next[0]);
    return progress;
  }
  while (true) {
    SendCompletion seen[kCqesAtOnce];
    look_at_cqes(cq, progress.cq_consumed, seen);
    if (!seen[0].is_ready) return progress;
    // CQEs come in order and none succeeds after an error, so one that says success says it of all
    // before it.
    SendCompletion last = seen[0];
    std::uint32_t ahead = 0;
    for (std::uint32_t i = 1; i < kCqesAtOnce; ++i) {
      if (seen[i].is_ready && cqe_opcode(seen[i].op_own) == CqeOpcode::kRequester) {
        last = seen[i];
        ahead = (1U << i) - 1;
      }
    }
    if (!take_send_cqe(cq, progress, ahead, last)) return progress;
  }
}

}  // namespace ringside
