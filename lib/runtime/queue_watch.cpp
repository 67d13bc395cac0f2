// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/queue_watch.hpp"

#include <fmt/core.h>

namespace ringside {
namespace {

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

QueueWatch::Finding QueueWatch::overrun(std::uint32_t queue, std::string& fault) const {
  if ((recovered_ & queue) != 0) return {.text = {}, .overrun = queue};
  fault = fmt::format(
      "{} queue stopped: its completion queue has overrun; stop, and start makes it "
      "anew",
      queue == kRecoverSend ? "send" : "receive");
  return {.text = fault, .overrun = queue};
}

QueueWatch::Finding QueueWatch::look_at_send(const StreamCounters& counters,
                                             const mlx5::TxQueue& tx, std::uint64_t now_ns) {
  const std::uint64_t waited_ns = standstill_.waited_ns(counters, now_ns);
  if (waited_ns == 0 && !send_fault_.empty()) {
    send_fault_.clear();
    return {.text = "send queue goes on again"};
  }
  if (!send_fault_.empty() || waited_ns < kPatienceNs) return {};
  if (tx.completions_overrun()) return overrun(kRecoverSend, send_fault_);
  send_fault_ =
      tx.stopped() ? "send queue stopped: the NIC put it into error; stop, and start again"
                   : fmt::format(
                         "send queue stands still: the NIC has executed none of {} WQEs for {} ms; "
                         "is the link paused by flow control (ethtool -S: rx_pause), or the device "
                         "dead (dmesg)? stop and start reset the queue",
                         in_flight(counters), waited_ns / 1'000'000);
  return {.text = send_fault_};
}

QueueWatch::Finding QueueWatch::look_at_receive(const StreamCounters& counters,
                                                const mlx5::ReceiveRing& rx) {
  const std::uint64_t received = counters.rx_packets + counters.rx_errors;
  const bool idle = received == received_;
  received_ = received;
  if (!idle || !receive_fault_.empty() || !rx.completions_overrun()) return {};
  return overrun(kRecoverReceive, receive_fault_);
}

QueueWatch::Finding QueueWatch::look(const StreamCounters& counters, const mlx5::TxQueue& tx,
                                     const mlx5::ReceiveRing& rx, std::uint64_t now_ns) {
  Finding send = look_at_send(counters, tx, now_ns);
  if (!send.text.empty()) return send;
  Finding receive = look_at_receive(counters, rx);
  receive.overrun |= send.overrun;
  return receive;
}

}  // namespace ringside
