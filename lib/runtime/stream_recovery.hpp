// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Recovers a stream's queues while its blocks run on, and says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/mlx5/queue_recovery.hpp"
#include "lib/runtime/gpu_port.hpp"
#include "lib/runtime/gpu_stream.hpp"

namespace ringside {

class StreamRecovery {
 public:
  /// For one run of the stream's blocks, of which the first has the receive queue and the last the
  /// send queue. `renew_rx`: GpuPort::renew_rx() of its receive queue. `limit`: recoveries in a
  /// row. All outlive it.
  StreamRecovery(GpuStream& stream, GpuPort& rx, std::function<void()> renew_rx, GpuPort& tx,
                 std::uint32_t limit);

  /// Does what can be done now; a text for each thing that has happened. Never waits.
  void step(std::uint64_t now_ns, std::vector<std::string>& events);
  /// See mlx5::QueueRecovery, of the stream's queues.
  void tell_overrun(std::uint32_t queues);
  /// Before queues are recovered for another run.
  void blocks_ended();

 private:
  void tell(const mlx5::QueueRecovery& recovery, mlx5::QueueRecovery::Event event,
            std::vector<std::string>& events);

  GpuStream& stream_;
  std::vector<mlx5::QueueRecovery> ends_;
};

}  // namespace ringside
