// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream over queues of a PMD: what is received on one is sent on another.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "lib/runtime/runtime.hpp"

struct rte_mbuf;

namespace ringside {

/// Bytes of packets.
std::uint64_t bytes_of(std::span<rte_mbuf* const> mbufs) noexcept;

/// Written by one thread at a time, read by any.
class StreamCounter {
 public:
  /// No locked instruction: there is one writer.
  void operator+=(std::uint64_t by) noexcept {
    value_.store(value() + by, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// received + made == sent + consumed + the drops + those in hand.
struct PmdCounters {
  StreamCounter rx_packets, rx_bytes, tx_packets, tx_bytes, consumed;
  StreamCounter dropped_by_program, dropped_send_full, dropped_gpu_lost;
};

struct PmdStream {
  std::size_t index;
  std::uint16_t rx_port, tx_port, rx_queue, tx_queue;
  alignas(64) PmdCounters counters;
  StreamStats base{};

  /// Since begin_statistics().
  StreamStats statistics() const;
  void begin_statistics();
};

}  // namespace ringside
