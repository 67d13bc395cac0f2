// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/queue_recovery.hpp"

#include <atomic>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/mlx5/syndrome.hpp"

namespace ringside::mlx5 {
namespace {

std::uint32_t load(std::uint32_t& word, std::memory_order order) {
  return std::atomic_ref(word).load(order);
}

}  // namespace

QueueRecovery::Event QueueRecovery::step(std::uint64_t now_ns) {
  RecoveryRequest& request = *parties_.request;
  try {
    switch (state_) {
      case State::kWatching: {
        // Acquire: meets the kernel's release. What it did to the queues is over.
        const std::uint32_t turn = load(request.stopped, std::memory_order_acquire);
        return turn == turn_ ? Event::kNone : begin(turn, now_ns);
      }
      case State::kPausing:
        if (now_ns - since_ns_ < pause_ns()) return Event::kNone;
        if (concerns(kRecoverSend) && !parties_.before_reuse()) return Event::kNone;
        // Release: the kernel that sees the turn (acquire) reads the CQ after the command has
        // ended. A CQE that the NIC wrote before that may still be on its way to a GPU's memory,
        // by another path than the command's answer: the pause gives it a thousand times as long.
        std::atomic_ref(parties_.answer->reset).store(turn_, std::memory_order_release);
        state_ = State::kEmptying;
        return Event::kNone;
      case State::kEmptying:
        if (!emptied()) return Event::kNone;
        make_queues_ready();
        // Release: the kernel that sees it posts to queues that are ready.
        std::atomic_ref(parties_.answer->ready).store(turn_, std::memory_order_release);
        state_ = State::kWatching;
        since_ns_ = now_ns;
        return Event::kReady;
      case State::kOver:
        return Event::kNone;
    }
  } catch (const Error& error) {
    return give_up(error.what());
  }
  return Event::kNone;
}

QueueRecovery::Event QueueRecovery::begin(std::uint32_t turn, std::uint64_t now_ns) {
  turn_ = turn;
  queues_ = load(parties_.request->queues, std::memory_order_relaxed);
  if (now_ns - since_ns_ >= policy_.forget_ns) attempt_ = 0;
  if (attempt_ == policy_.limit) {
    return give_up(fmt::format("{} recoveries in a row did not help", policy_.limit));
  }
  ++attempt_;
  // At once: a NIC that has stopped one of them may still use the other one's buffers.
  reset_queues();
  anew_ = overrun();  // after that, which may have been the last drop
  // Relaxed: the kernel looks at them after `reset` and `ready`, which are released.
  std::atomic_ref(parties_.answer->anew).store(anew_, std::memory_order_relaxed);
  std::atomic_ref(parties_.answer->silent).fetch_and(~queues_, std::memory_order_relaxed);
  state_ = State::kPausing;
  since_ns_ = now_ns;
  return Event::kStopped;
}

QueueRecovery::Event QueueRecovery::give_up(std::string reason) {
  reason_ = std::move(reason);
  state_ = State::kOver;
  // Relaxed: nothing depends on it, the kernel ends as it would have without a recovery.
  std::atomic_ref(parties_.answer->given_up).store(1, std::memory_order_relaxed);
  return Event::kGivenUp;
}

void QueueRecovery::reset_queues() {
  if (concerns(kRecoverSend)) parties_.tx->reset();
  if (concerns(kRecoverReceive)) parties_.rx->reset();
}

std::uint32_t QueueRecovery::overrun() const {
  std::uint32_t queues = 0;
  if (concerns(kRecoverSend) && parties_.tx->completions_overrun()) queues |= kRecoverSend;
  if (concerns(kRecoverReceive) && parties_.rx->completions_overrun()) queues |= kRecoverReceive;
  return queues;
}

void QueueRecovery::make_queues_ready() {
  if (concerns(kRecoverSend)) {
    if ((anew_ & kRecoverSend) != 0) parties_.tx->renew();
    parties_.tx->go_on();
    // Relaxed: `ready` is released after it.
    std::atomic_ref(parties_.answer->sqn).store(parties_.tx->number(), std::memory_order_relaxed);
  }
  if (!concerns(kRecoverReceive)) return;
  if ((anew_ & kRecoverReceive) != 0) {
    parties_.renew_rx();
  } else {
    parties_.rx->go_on();
  }
}

void QueueRecovery::tell_overrun(std::uint32_t queues) {
  // Relaxed: what the kernel does when it sees them depends on nothing else.
  if (state_ == State::kWatching) {
    std::atomic_ref(parties_.answer->silent).fetch_or(queues, std::memory_order_relaxed);
  }
}

bool QueueRecovery::emptied() {
  // Acquire: meets the kernel's release. Records and rings are as of new queues when the command
  // makes the NIC read them.
  if (load(parties_.request->emptied, std::memory_order_acquire) != turn_) return false;
  if (concerns(kRecoverReceive)) {
    parties_.rx->set_cq_offset(
        std::atomic_ref(parties_.request->rx_cq_offset).load(std::memory_order_relaxed));
  }
  return true;
}

void QueueRecovery::kernel_ended() {
  if (state_ == State::kEmptying) emptied();
  state_ = State::kOver;
}

std::string QueueRecovery::error() const {
  const RecoveryRequest& request = *parties_.request;
  return error_text(request.error_queue == kRecoverSend, static_cast<std::uint8_t>(request.error),
                    static_cast<std::uint8_t>(request.error >> 8), request.error >> 16);
}

}  // namespace ringside::mlx5
