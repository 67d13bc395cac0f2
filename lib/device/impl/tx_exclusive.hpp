// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx_exclusive.hpp
#pragma once

#include "lib/device/impl/tx_cqe.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_exclusive.hpp"

namespace ringside {

RS_DEVICE ExclusiveTxQueue::ExclusiveTxQueue(const TxQueueHandle& handle)
    : handle_(handle),
      posted_(handle.state->posted),
      completed_(handle.state->completed),
      cq_consumed_(handle.state->cq_consumed) {}

template <Block B, class PacketOf>
RS_DEVICE TxSend ExclusiveTxQueue::send(B& block, std::uint32_t count, PacketOf packet_of,
                                        std::uint64_t timeout_ns) {
  const std::uint64_t depth = std::uint64_t{1} << handle_.log_depth;
  const std::uint64_t end = posted_ + count;
  if (stopped_ || end > completed_ + depth) {
    const TxStatus status = complete(block, end - depth, timeout_ns);
    if (status != TxStatus::kPosted) return {status, posted_};
  }
  write_sends(block, handle_, posted_, count, packet_of);
  block.sync();
  posted_ = end;
  // The last rank, since rank 0 is the one that may have completions to read for the next batch.
  if (block.rank() == block.size() - 1) {
    announce_sends(handle_, end);
    handle_.state->posted = end;
  }
  return {TxStatus::kPosted, end};
}

template <Block B>
RS_DEVICE TxStatus ExclusiveTxQueue::wait(B& block, std::uint64_t end, std::uint64_t timeout_ns) {
  return completed_ >= end ? TxStatus::kPosted : complete(block, end, timeout_ns);
}

template <Block B>
RS_DEVICE TxStatus ExclusiveTxQueue::complete(B& block, std::uint64_t upto,
                                              std::uint64_t timeout_ns) {
  if (stopped_) return TxStatus::kStopped;
  TxProgress progress{completed_, cq_consumed_, false, {}};
  if (block.rank() == 0) {
    const std::uint64_t start = block.now_ns();
    block.poll_until([&] {
      const bool late = block.now_ns() - start >= timeout_ns;
      progress = read_send_cqes({handle_.cqe, handle_.log_cq_depth}, progress.completed,
                                progress.cq_consumed);
      return progress.completed >= upto || progress.stopped || late;
    });
    if (progress.cq_consumed != cq_consumed_) {
      give_send_cqes_back(handle_, progress.cq_consumed);
      handle_.state->completed = progress.completed;
      handle_.state->cq_consumed = progress.cq_consumed;
    }
  }
  // The barrier hands on what the reads acquired: any thread may write the slots that are free.
  progress = block.broadcast(progress);
  completed_ = progress.completed;
  cq_consumed_ = progress.cq_consumed;
  stopped_ = progress.stopped;
  stop_error_ = progress.error;
  if (completed_ >= upto) return TxStatus::kPosted;
  return stopped_ ? TxStatus::kStopped : TxStatus::kFull;
}

}  // namespace ringside
