// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the last run has left of a stream's queues, and their way back to a new one. No kernel runs:
// stream_recovery.hpp is for the time when one does.
#pragma once

#include "lib/runtime/stream_ends.hpp"

namespace ringside {

class StreamRestart {
 public:
  /// All outlive it.
  explicit StreamRestart(const StreamEnds& ends)
      : stream_(ends.stream), from_(ends.from), rx_(ends.rx()), tx_(ends.tx()) {}

  /// An error stopped it, seen by its block or not, or sends have not ended in time. Throws Error.
  bool needed() const;
  /// Makes the queues ready for another run. Throws Error.
  void recover();

 private:
  const GpuStream& stream_;
  SteeredPort& from_;
  mlx5::ReceiveRing& rx_;
  mlx5::TxQueue& tx_;
};

}  // namespace ringside
