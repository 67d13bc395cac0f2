// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/stream_tracer.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstring>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/trace_reader.hpp"

namespace ringside {
namespace {

/// The mailbox has a line of its own: CPU and kernel both write it.
struct Words {
  alignas(64) StreamTrace trace;
  std::uint64_t laps[2];
  alignas(64) ClockMailbox clock;
};

constexpr std::uint64_t kLaunchMs = 1000;

constexpr std::size_t ring_bytes(std::uint32_t log_size) {
  return sizeof(TraceRecord) << log_size;
}

void read_into(ClockTrack& track, const StampClock& clock) {
  track.add(mlx5::read_clocks(monotonic_ns, [&]() -> std::optional<std::uint64_t> {
    return mlx5::read_nic_clock(clock.nic, clock.to_ns);
  }));
}

}  // namespace

std::string name_of(const StreamQueues& queues) {
  return fmt::format("port {} queue {} to port {} queue {}", queues.rx_port, queues.rx_queue,
                     queues.tx_port, queues.tx_queue);
}

StreamTracer::StreamTracer(GpuDevice& gpu, const StampClock& rx_nic, const StampClock& tx_nic,
                           const StreamQueues& queues, std::uint32_t events)
    : rx_nic_(rx_nic),
      tx_nic_(tx_nic),
      queues_(queues),
      log_size_(static_cast<std::uint32_t>(std::bit_width(events - 1))),
      memory_(gpu.allocate_shared(2 * ring_bytes(log_size_) + sizeof(Words), alignof(Words))) {
  mlx5::read_nic_clock(rx_nic_.nic, rx_nic_.to_ns);
  mlx5::read_nic_clock(tx_nic_.nic, tx_nic_.to_ns);
}

TraceRing StreamTracer::ring(std::size_t number, std::int64_t view_offset) const {
  std::uint8_t* const memory = memory_.data() + view_offset;
  auto& words = *reinterpret_cast<Words*>(memory + 2 * ring_bytes(log_size_));
  return {reinterpret_cast<TraceRecord*>(memory + number * ring_bytes(log_size_)), log_size_,
          &words.laps[number]};
}

const void* StreamTracer::own() const noexcept {
  return memory_.kernel_pointer<StreamTrace>(2 * ring_bytes(log_size_) + offsetof(Words, trace));
}

void StreamTracer::begin(std::uint32_t program, const LatencySpan& span) {
  span_ = span;
  std::memset(memory_.data(), 0, memory_.size());
  const std::size_t words = 2 * ring_bytes(log_size_);
  reinterpret_cast<Words*>(memory_.data() + words)->trace = {
      .served = ring(0, memory_.view_offset()),
      .tended = ring(1, memory_.view_offset()),
      .clock = memory_.kernel_pointer<ClockMailbox>(words + offsetof(Words, clock)),
      .program = program};
  rx_clock_.clear();
  tx_clock_.clear();
  gpu_clock_.clear();
}

void StreamTracer::read_clocks() {
  auto* const words = reinterpret_cast<Words*>(memory_.data() + 2 * ring_bytes(log_size_));
  // A launch may take a while.
  const Deadline until = Deadline::after_ms(gpu_clock_.is_empty() ? kLaunchMs : 0);
  bool answers = false;
  do {
    answers = mlx5::ask_clock(words->clock).has_value();
  } while (!answers && !until.passed());
  try {
    read_into(rx_clock_, rx_nic_);
    read_into(tx_clock_, tx_nic_);
    gpu_clock_.add(mlx5::read_clocks(monotonic_ns, [&] { return mlx5::ask_clock(words->clock); }));
  } catch (const Error&) {
    // A kernel that has ended, or has no CPU to run on now. end() says so if it was too often.
  }
}

TracedStream StreamTracer::end() const {
  TracedStream traced{.queues = queues_,
                      .receiving_nic_off_ns = rx_clock_.uncertainty_ns(),
                      .sending_nic_off_ns = tx_clock_.uncertainty_ns(),
                      .gpu_off_ns = gpu_clock_.uncertainty_ns()};
  std::vector<TraceEvent> served, tended;
  TraceReader served_reader(ring(0, 0));
  TraceReader tended_reader(ring(1, 0));
  served_reader.read(served);
  tended_reader.read(tended);
  traced.lost_events = served_reader.lost() + tended_reader.lost();
  if (!rx_clock_.is_known() || !tx_clock_.is_known() || !gpu_clock_.is_known()) {
    traced.fault = "its clocks could not be read often enough: run it for longer";
    return traced;
  }
  const TraceClocks clocks{
      .receiving_nic = [this](auto stamp) { return rx_clock_.host_ns(rx_nic_.to_ns(stamp)); },
      .sending_nic = [this](auto stamp) { return tx_clock_.host_ns(tx_nic_.to_ns(stamp)); },
      .gpu = [this](auto now_ns) { return gpu_clock_.host_ns(now_ns); }};
  traced.batches = batches_of(served, tended, clocks, span_);
  traced.latency = latency_of(traced.batches, span_);
  traced.changes = changes_of(served, tended, clocks);
  return traced;
}

}  // namespace ringside
