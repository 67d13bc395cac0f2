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

/// Of the block's last words: it may be between two of the counters, and have stored fewer posts
/// than completions.
std::uint64_t in_flight(const StreamCounters& counters) {
  const auto packets =
      static_cast<std::int64_t>(counters.tx_packets - counters.tx_completed - counters.tx_errors);
  return packets > 0 ? static_cast<std::uint64_t>(packets) : 0;
}

/// Whole words, for port statistics of another thread; no block writes them now.
void add(std::uint64_t& counter, std::uint64_t by) {
  const std::atomic_ref shared(counter);
  shared.store(shared.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

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
  return mlx5::error_text(shared.error_on_send != 0,
                          static_cast<std::uint8_t>(shared.error_syndrome),
                          static_cast<std::uint8_t>(shared.error_vendor), shared.error_wqe_counter);
}

std::size_t GpuStream::word_of(std::size_t block) const noexcept {
  if (blocks_ == 1) return kAlone;
  if (block == 0) return kFirst;
  return block + 1 == blocks_ ? kLast : kBetween + block - 1;
}

StreamCounters GpuStream::counters() const noexcept {
  StreamCounters all = read_counters(words_[kAlone].counters);
  for (std::size_t i = kFirst; i < words_.size(); ++i) {
    const StreamCounters one = read_counters(words_[i].counters);
    all.consumed += one.consumed;
    for (std::size_t cause = 0; cause < kCauseNames.size(); ++cause) {
      all.dropped[cause] += one.dropped[cause];
    }
    // What others say that they have received, they have taken over; sent, handed over.
    if (i == kFirst) {
      all.rx_packets += one.rx_packets;
      all.rx_bytes += one.rx_bytes;
      all.rx_errors += one.rx_errors;
      all.batches += one.batches;
    } else if (i == kLast) {
      all.tx_packets += one.tx_packets;
      all.tx_bytes += one.tx_bytes;
      all.tx_generated += one.tx_generated;
      all.tx_completed += one.tx_completed;
      all.tx_errors += one.tx_errors;
      all.tx_doorbells += one.tx_doorbells;
      all.tx_cqes += one.tx_cqes;
      all.tx_waits += one.tx_waits;
    }
  }
  return all;
}

StreamStats GpuStream::statistics() const {
  const StreamCounters all = counters();
  const StreamCounters now = all - base_;
  StreamStats stats{.rx_port = queues_.rx_port,
                    .rx_queue = queues_.rx_queue,
                    .tx_port = queues_.tx_port,
                    .tx_queue = queues_.tx_queue,
                    .rx_packets = now.rx_packets,
                    .rx_bytes = now.rx_bytes,
                    .rx_errors = now.rx_errors,
                    .tx_packets = now.tx_packets - now.tx_errors,
                    .tx_bytes = now.tx_bytes,
                    .tx_generated = now.tx_generated,
                    .tx_errors = now.tx_errors,
                    .consumed = now.consumed,
                    .dropped = 0,
                    .drop_causes = {},
                    .error = failed() ? stream_error(*failure()) : "",
                    .queues = QueueCounts{.rx_batches = now.batches,
                                          .tx_doorbells = now.tx_doorbells,
                                          .tx_cqes = now.tx_cqes,
                                          .tx_waits = now.tx_waits,
                                          .tx_in_flight = in_flight(all)}};
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    stats.dropped += now.dropped[i];
    stats.drop_causes.emplace_back(kCauseNames[i], now.dropped[i]);
  }
  if (stats.error.empty()) stats.error = silent_fault_;
  return stats;
}

StreamStatus* GpuStream::failure() const noexcept {
  // A block that fails makes those before it end, as if their send queues had failed.
  for (std::size_t block = blocks_; block-- > 0;) {
    StreamStatus& status = words_[word_of(block)].status;
    if (std::atomic_ref(status.phase).load(std::memory_order_acquire) == BlockPhase::kFailed) {
      return &status;
    }
  }
  return nullptr;
}

bool GpuStream::block_ended(std::size_t block) const noexcept {
  StreamStatus& status = words_[word_of(block)].status;
  const BlockPhase phase = std::atomic_ref(status.phase).load(std::memory_order_acquire);
  return phase == BlockPhase::kFinished || phase == BlockPhase::kFailed;
}

bool GpuStream::ended() const noexcept {
  if (failed()) return true;
  for (std::size_t block = 0; block < blocks_; ++block) {
    if (!block_ended(block)) return false;
  }
  return true;
}

bool GpuStream::failed_on_send() const noexcept {
  const StreamStatus* const status = failure();
  return status != nullptr && status->error_on_send != 0;
}

std::string GpuStream::take_event() {
  if (event_taken_ || !failed()) return "";
  event_taken_ = true;
  return fmt::format("{} stopped by its {}{}; start recovers it", name(), stream_error(*failure()),
                     given_up_.empty() ? "" : ": " + given_up_);
}

std::string GpuStream::name() const {
  return fmt::format("stream of port {} queue {} to port {} queue {}", queues_.rx_port,
                     queues_.rx_queue, queues_.tx_port, queues_.tx_queue);
}

void GpuStream::count_lost_sends(std::uint64_t packets, std::uint64_t bytes) noexcept {
  StreamCounters& counters = words_[word_of(blocks_ - 1)].counters;
  add(counters.tx_errors, packets);
  add(counters.dropped[static_cast<std::size_t>(DropCause::kTxQueueDown)], packets);
  add(counters.tx_bytes, std::uint64_t{0} - bytes);
}

void GpuStream::count_lost_between_blocks() noexcept {
  const auto in_run = [this](std::size_t block) {
    return read_counters(words_[word_of(block)].counters) - at_start_[block];
  };
  for (std::size_t block = 0; block + 1 < blocks_; ++block) {
    const StreamCounters gave = in_run(block);
    const std::uint64_t handed = gave.tx_packets - gave.tx_errors;
    if (handed != gave.tx_completed) holds_slots_ = true;
    const std::uint64_t lost = handed - in_run(block + 1).rx_packets;
    StreamCounters& counters = words_[word_of(block)].counters;
    add(counters.tx_errors, lost);
    add(counters.dropped[static_cast<std::size_t>(DropCause::kTxQueueDown)], lost);
  }
}

void GpuStream::reset_words(std::size_t blocks) {
  blocks_ = blocks;
  holds_slots_ = false;
  at_start_.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    at_start_.push_back(read_counters(words_[word_of(block)].counters));
  }
  for (StreamWords& words : words_) {
    words.status = {};
    words.control.recovery = {};
    std::atomic_ref(words.control.exit).store(0, std::memory_order_relaxed);
  }
  event_taken_ = false;
  given_up_.clear();
  silent_fault_.clear();
}

PortStats port_stats_of(std::span<const GpuStream> streams, std::uint16_t port) noexcept {
  PortStats stats{};
  for (const GpuStream& stream : streams) {
    const StreamCounters counters = stream.counters();
    if (stream.rx_port() == port) {
      stats.rx_packets += counters.rx_packets;
      stats.rx_bytes += counters.rx_bytes;
      stats.rx_errors += counters.rx_errors;
    }
    if (stream.tx_port() == port) {
      stats.tx_packets += counters.tx_packets - counters.tx_errors;
      stats.tx_bytes += counters.tx_bytes;
      stats.tx_errors += counters.tx_errors;
    }
  }
  return stats;
}

}  // namespace ringside
