// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream that is traced: the memory that its kernel writes events into, the clocks that they are
// by, and what comes of both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/device/traced.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/mlx5/context.hpp"
#include "lib/mlx5/format/nic_time.hpp"
#include "lib/runtime/clock_track.hpp"
#include "lib/runtime/latency.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// Of one run.
struct TracedStream {
  StreamQueues queues;  ///< ports by their ids
  std::vector<BatchTimes> batches;
  LatencyBreakdown latency;
  std::vector<QueueChange> changes;
  std::uint64_t lost_events = 0;  ///< written over: what is here ends the run
  /// How far readings of the clocks may have been off the host's, at most.
  std::uint64_t receiving_nic_off_ns = 0, sending_nic_off_ns = 0, gpu_off_ns = 0;
  std::string fault;  ///< why there are no batches, or empty
};

/// As people are told of it.
std::string name_of(const StreamQueues& queues);

/// A NIC's clock, as one of its queues stamps by it. The device lives longer.
struct StampClock {
  const mlx5::Context& nic;
  StampToNs to_ns;
};

class StreamTracer {
 public:
  /// `rx_nic`, `tx_nic`: of the stream's queues. Each of its two rings holds `events` at least.
  /// Throws Error, also where a NIC does not tell its clock.
  StreamTracer(GpuDevice& gpu, const StampClock& rx_nic, const StampClock& tx_nic,
               const StreamQueues& queues, std::uint32_t events);

  /// Before a launch, with no kernel running. `program`: TracedOneOf::number_of its name.
  void begin(std::uint32_t program, const LatencySpan& span);
  /// ProgramArgs::own of the stream's kernel.
  const void* own() const noexcept;
  /// Reads the clocks, the kernel's from the kernel: to be called once it runs, every second or so,
  /// and before it is told to stop. One that does not answer is left out.
  void read_clocks();
  /// What the rings hold, at any time; all of the run once no kernel is running.
  TracedStream end() const;

 private:
  TraceRing ring(std::size_t number, std::int64_t view_offset) const;

  const StampClock rx_nic_, tx_nic_;
  const StreamQueues queues_;
  const std::uint32_t log_size_;
  LatencySpan span_;
  GpuMemory memory_;  ///< two rings, then Words
  ClockTrack rx_clock_, tx_clock_, gpu_clock_;
};

}  // namespace ringside
