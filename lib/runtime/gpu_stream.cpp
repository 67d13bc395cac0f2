// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_stream.hpp"

#include <array>
#include <atomic>
#include <bit>

#include "lib/base/error.hpp"
#include "lib/mlx5/syndrome.hpp"

namespace ringside {
namespace {

constexpr std::size_t kCounters = sizeof(StreamCounters) / sizeof(std::uint64_t);
using CounterArray = std::array<std::uint64_t, kCounters>;

constexpr std::array<std::string_view, static_cast<std::size_t>(DropCause::kCount)> kCauseNames{
    "program", "send queue stopped"};

}  // namespace

StreamCounters read_counters(StreamCounters& shared) noexcept {
  // An array of 64-bit words, each stored whole by the block.
  auto* words = reinterpret_cast<std::uint64_t*>(&shared);
  CounterArray values{};
  for (std::size_t i = 0; i < kCounters; ++i) {
    values[i] = std::atomic_ref(words[i]).load(std::memory_order_relaxed);
  }
  return std::bit_cast<StreamCounters>(values);
}

StreamCounters operator-(const StreamCounters& a, const StreamCounters& b) noexcept {
  auto values = std::bit_cast<CounterArray>(a);
  const auto from = std::bit_cast<CounterArray>(b);
  for (std::size_t i = 0; i < kCounters; ++i) values[i] -= from[i];
  return std::bit_cast<StreamCounters>(values);
}

std::string stream_error(StreamStatus& shared) {
  // Acquire pairs with the block's release of kFailed: the error's fields are there then.
  if (std::atomic_ref(shared.phase).load(std::memory_order_acquire) != BlockPhase::kFailed) {
    return "";
  }
  return fmt::format("{} queue: {}, vendor syndrome {:#04x}, WQE {}",
                     shared.error_on_send != 0 ? "send" : "receive",
                     mlx5::syndrome_text(static_cast<std::uint8_t>(shared.error_syndrome)),
                     shared.error_vendor, shared.error_wqe_counter);
}

StreamStats GpuStream::statistics() const {
  const StreamCounters now = counters() - base_;
  StreamStats stats{.rx_port = queues_.rx_port,
                    .rx_queue = queues_.rx_queue,
                    .tx_port = queues_.tx_port,
                    .tx_queue = queues_.tx_queue,
                    .rx_packets = now.rx_packets,
                    .rx_bytes = now.rx_bytes,
                    .rx_errors = now.rx_errors,
                    .tx_packets = now.tx_packets - now.tx_errors,
                    .tx_bytes = now.tx_bytes,
                    .tx_errors = now.tx_errors,
                    .consumed = now.consumed,
                    .dropped = 0,
                    .drop_causes = {},
                    .error = stream_error(words_.status)};
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    stats.dropped += now.dropped[i];
    stats.drop_causes.emplace_back(kCauseNames[i], now.dropped[i]);
  }
  if (stats.error.empty()) stats.error = silent_fault_;
  return stats;
}

bool GpuStream::failed() const noexcept {
  return std::atomic_ref(words_.status.phase).load(std::memory_order_acquire) ==
         BlockPhase::kFailed;
}

bool GpuStream::ended() const noexcept {
  const BlockPhase phase = std::atomic_ref(words_.status.phase).load(std::memory_order_acquire);
  return phase == BlockPhase::kFinished || phase == BlockPhase::kFailed;
}

bool GpuStream::failed_on_send() const noexcept {
  return failed() && words_.status.error_on_send != 0;
}

std::string GpuStream::take_event() {
  if (event_taken_ || !failed()) return "";
  event_taken_ = true;
  return fmt::format("{} stopped by its {}; start recovers it", name(),
                     stream_error(words_.status));
}

std::string GpuStream::name() const {
  return fmt::format("stream of port {} queue {} to port {} queue {}", queues_.rx_port,
                     queues_.rx_queue, queues_.tx_port, queues_.tx_queue);
}

void GpuStream::count_lost_sends(std::uint64_t packets, std::uint64_t bytes) noexcept {
  // Whole words, for port statistics of another thread; no block writes them now.
  const auto add = [](std::uint64_t& counter, std::uint64_t by) {
    const std::atomic_ref shared(counter);
    shared.store(shared.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  };
  add(words_.counters.tx_errors, packets);
  add(words_.counters.dropped[static_cast<std::size_t>(DropCause::kTxQueueDown)], packets);
  add(words_.counters.tx_bytes, std::uint64_t{0} - bytes);
}

void GpuStream::reset_words() noexcept {
  words_.status = {};
  std::atomic_ref(words_.control.exit).store(0, std::memory_order_relaxed);
  event_taken_ = false;
  silent_fault_.clear();
}

}  // namespace ringside
