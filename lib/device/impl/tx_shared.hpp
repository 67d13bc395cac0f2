// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx_shared.hpp
#pragma once

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_shared.hpp"

namespace ringside {

RS_DEVICE SharedTxQueue::SharedTxQueue(const SharedTxQueueHandle& handle)
    : handle_(handle),
      sharing_(DeviceTxOps{handle.queue}, handle.shared, handle.batch_end, handle.queue.log_depth) {
}

template <Block B>
RS_DEVICE TxSend SharedTxQueue::reserve(B& block, std::uint32_t count, std::uint64_t timeout_ns) {
  TxSend result{};
  // The clock is read once there is something to wait for: on a GPU that takes a microsecond.
  std::uint64_t start = 0;
  bool last_try = false;
  block.poll_until([&] {
    result = {TxStatus::kPosted, sharing_.try_reserve(count)};
    if (result.end != sharing_.kNone) return true;
    if (last_try) {
      result.status = TxStatus::kFull;
      return true;
    }
    const std::uint64_t now = block.now_ns();
    if (start == 0) start = now;
    last_try = now - start >= timeout_ns;
    sharing_.poll();
    result.status = TxStatus::kStopped;
    return sharing_.stopped();
  });
  return result;
}

template <Block B, class PacketOf>
RS_DEVICE TxSend SharedTxQueue::send(B& block, std::uint32_t count, PacketOf packet_of,
                                     std::uint64_t timeout_ns) {
  TxSend reserved{};
  if (block.rank() == 0) reserved = reserve(block, count, timeout_ns);
  reserved = block.broadcast(reserved);
  if (reserved.status != TxStatus::kPosted) return reserved;
  const std::uint64_t first = reserved.end;
  const std::uint64_t end = first + count;
  write_sends(block, handle_.queue, first, count, packet_of);
  // The last rank publishes, since rank 0 is the one that reserves the next batch.
  const bool publishes = block.rank() == block.size() - 1;
  const std::uint64_t peeked = publishes ? sharing_.peek(end) : 0;  // under way over the barrier
  block.sync();
  if (publishes) {
    bool announce = true;
    block.poll_until([&] {
      const bool published = sharing_.try_publish(first, end, peeked, announce);
      announce = false;
      return published;
    });
  }
  return {TxStatus::kPosted, end};
}

template <Block B>
RS_DEVICE TxStatus SharedTxQueue::wait(B& block, std::uint64_t end, std::uint64_t timeout_ns) {
  const std::uint64_t start = block.now_ns();
  TxStatus status = TxStatus::kFull;
  if (block.rank() == 0) {
    block.poll_until([&] {
      const bool late = block.now_ns() - start >= timeout_ns;
      if (sharing_.completed() < end) sharing_.poll();
      // In this order: poll() tells that the queue has stopped after what it has completed.
      const bool stopped = sharing_.stopped();
      if (sharing_.completed() >= end) {
        status = TxStatus::kPosted;
      } else if (stopped) {
        status = TxStatus::kStopped;
      }
      return status != TxStatus::kFull || late;
    });
  }
  return block.broadcast(status);
}

RS_DEVICE QueueError SharedTxQueue::stop_error() const {
  return sharing_.stop_error();
}

}  // namespace ringside
