// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/queue_watch.hpp"

#include <fmt/core.h>

namespace ringside {
namespace {

constexpr const char* kOverrun = "its completion queue has overrun";
constexpr const char* kRestart = "stop, and start makes it anew";

std::uint64_t in_flight(const StreamCounters& counters) {
  return counters.tx_packets - counters.tx_completed - counters.tx_errors;
}

}  // namespace

std::uint64_t SendStandstill::waited_ns(const StreamCounters& counters,
                                        std::uint64_t now_ns) noexcept {
  // The block may be between two of the counters; it cannot be in all looks of so long a time.
  const bool waits = in_flight(counters) != 0 && counters.tx_completed == completed_;
  completed_ = counters.tx_completed;
  if (!waits) {
    since_ns_ = 0;
    return 0;
  }
  if (since_ns_ == 0) since_ns_ = now_ns;
  return now_ns - since_ns_;
}

std::string QueueWatch::look_at_send(const StreamCounters& counters, const mlx5::TxQueue& tx,
                                     std::uint64_t now_ns) {
  const std::uint64_t waited_ns = standstill_.waited_ns(counters, now_ns);
  if (waited_ns == 0 && !send_fault_.empty()) {
    send_fault_.clear();
    return "send queue goes on again";
  }
  if (!send_fault_.empty() || waited_ns < kPatienceNs) return "";
  send_fault_ = send_fault(counters, tx, waited_ns);
  return send_fault_;
}

std::string QueueWatch::send_fault(const StreamCounters& counters, const mlx5::TxQueue& tx,
                                   std::uint64_t waited_ns) {
  if (tx.completions_overrun()) {
    return fmt::format("send queue stopped: {}; {}", kOverrun, kRestart);
  }
  if (tx.stopped()) return "send queue stopped: the NIC put it into error; stop, and start again";
  return fmt::format(
      "send queue stands still: the NIC has executed none of {} WQEs for {} ms; is the link paused "
      "by flow control (ethtool -S: rx_pause), or the device dead (dmesg)? stop and start reset "
      "the queue",
      in_flight(counters), waited_ns / 1'000'000);
}

std::string QueueWatch::look(const StreamCounters& counters, const mlx5::TxQueue& tx,
                             const mlx5::ReceiveRing& rx, std::uint64_t now_ns) {
  if (std::string text = look_at_send(counters, tx, now_ns); !text.empty()) return text;
  const std::uint64_t received = counters.rx_packets + counters.rx_errors;
  const bool idle = received == received_;
  received_ = received;
  if (!idle || !receive_fault_.empty() || !rx.completions_overrun()) return "";
  receive_fault_ = fmt::format("receive queue stopped: {}; {}", kOverrun, kRestart);
  return receive_fault_;
}

}  // namespace ringside
