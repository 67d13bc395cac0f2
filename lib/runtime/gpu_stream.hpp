// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream of the GPU data path as the CPU sees it: which queues it joins, and the words that it
// shares with its block.
#pragma once

#include <cstdint>
#include <string>

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
  GpuStream(const StreamQueues& queues, StreamWords& words) : queues_(queues), words_(words) {}

  std::uint16_t rx_port() const noexcept { return queues_.rx_port; }
  std::uint16_t tx_port() const noexcept { return queues_.tx_port; }
  std::uint16_t rx_queue() const noexcept { return queues_.rx_queue; }
  std::uint16_t tx_queue() const noexcept { return queues_.tx_queue; }
  /// "stream of port 0 queue 2 to port 1 queue 2"
  std::string name() const;

  StreamCounters counters() const noexcept { return read_counters(words_.counters); }
  /// Later statistics count from here.
  void begin_statistics() noexcept { base_ = counters(); }
  StreamStats statistics() const;

  bool failed() const noexcept;
  /// Its block has come to its end, by an error or not.
  bool ended() const noexcept;
  /// Of a failed stream: its send queue, not the receive queue, had the error.
  bool failed_on_send() const noexcept;
  /// The error as an event, once a failure; else empty.
  std::string take_event();
  /// Sends that no block saw complete are lost with their queue. With no block running.
  void count_lost_sends(std::uint64_t packets, std::uint64_t bytes) noexcept;
  /// What stopped a queue without a completion that says so; empty: nothing. With no block running.
  void end_with(const std::string& silent_fault) { silent_fault_ = silent_fault; }
  /// Before a launch, with no block running.
  void reset_words() noexcept;

 private:
  StreamQueues queues_;
  StreamWords& words_;
  StreamCounters base_{};
  bool event_taken_ = false;
  std::string silent_fault_;
};

}  // namespace ringside
