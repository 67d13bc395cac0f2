// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream of the GPU data path as the CPU sees it: which queues it joins, and the words that it
// shares with its block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/device/stream.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// One writer a line: the CPU writes `control`, the block the others.
struct StreamWords {
  alignas(64) StreamCounters counters;
  alignas(64) StreamControl control;
  alignas(64) StreamStatus status;
};

/// All counters at one time, each whole; the block may be between two of them.
StreamCounters read_counters(StreamCounters& shared) noexcept;
StreamCounters operator-(const StreamCounters& a, const StreamCounters& b) noexcept;

/// "send queue: LOCAL_PROTECTION_ERR (0x04), vendor syndrome 0x51, WQE 17", or empty while nothing
/// has stopped the stream.
std::string stream_error(StreamStatus& shared);

class GpuStream {
 public:
  /// How many words a stream needs that so many blocks at most serve, one behind the other.
  static constexpr std::size_t words_for(std::size_t blocks) {
    return blocks == 1 ? 1 : 1 + blocks;
  }
  static constexpr std::size_t word_bytes(std::size_t blocks, std::size_t streams) {
    return sizeof(StreamWords) * words_for(blocks) * streams;
  }
  /// `words`: words_for() its blocks.
  GpuStream(const StreamQueues& queues, std::span<StreamWords> words)
      : queues_(queues), words_(words) {}

  const StreamQueues& queues() const noexcept { return queues_; }
  std::uint16_t rx_port() const noexcept { return queues_.rx_port; }
  std::uint16_t tx_port() const noexcept { return queues_.tx_port; }
  std::uint16_t rx_queue() const noexcept { return queues_.rx_queue; }
  std::uint16_t tx_queue() const noexcept { return queues_.tx_queue; }
  std::uint64_t tx_bit_rate() const noexcept { return queues_.tx_bit_rate; }
  /// "stream of port 0 queue 2 to port 1 queue 2"
  std::string name() const;

  /// Of all its blocks: what the first one received, what the last one sent, and what any of them
  /// consumed or dropped.
  StreamCounters counters() const noexcept;
  /// Later statistics count from here.
  void begin_statistics() noexcept { base_ = counters(); }
  StreamStats statistics() const;

  bool failed() const noexcept { return failure() != nullptr; }
  /// All its blocks have come to their end, or one of them did by an error.
  bool ended() const noexcept;
  bool block_ended(std::size_t block) const noexcept;
  /// Of a failed stream: its send queue, not the receive queue, had the error.
  bool failed_on_send() const noexcept;
  /// Its queues are not recovered while it runs, and why: part of the event.
  void give_up(const std::string& reason) { given_up_ = reason; }
  /// The error as an event, once a failure; else empty.
  std::string take_event();
  /// Sends that no block saw complete are lost with their queue. With no block running.
  void count_lost_sends(std::uint64_t packets, std::uint64_t bytes) noexcept;
  /// So are packets that one block has handed over and the next has not taken. With no block
  /// running.
  void count_lost_between_blocks() noexcept;
  /// Blocks have ended without giving back all slots of the receive queue.
  bool holds_slots() const noexcept { return holds_slots_; }
  /// What stopped a queue without a completion that says so; empty: nothing. With no block running.
  void end_with(const std::string& silent_fault) { silent_fault_ = silent_fault; }
  /// Before a launch of so many blocks, with none running.
  void reset_words(std::size_t blocks);
  std::size_t blocks() const noexcept { return blocks_; }
  StreamWords& words_of(std::size_t block) const noexcept { return words_[word_of(block)]; }
  /// Which words are a block's. What a counter is about depends on who stores it, and counters go
  /// on from run to run: so a block that is alone has its own words, and so have the first one, the
  /// last one, and those between.
  std::size_t word_of(std::size_t block) const noexcept;

 private:
  enum Word : std::size_t { kAlone, kFirst, kLast, kBetween };
  /// Of the block that has failed; of several, the one whose error made the others end.
  StreamStatus* failure() const noexcept;

  StreamQueues queues_;
  std::span<StreamWords> words_;
  std::size_t blocks_ = 1;
  bool holds_slots_ = false;
  std::vector<StreamCounters> at_start_;  ///< [block] of this run
  StreamCounters base_{};
  bool event_taken_ = false;
  std::string given_up_;
  std::string silent_fault_;
};

/// What kernels count of a port, by the streams that have queues of it.
PortStats port_stats_of(std::span<const GpuStream> streams, std::uint16_t port) noexcept;

}  // namespace ringside
