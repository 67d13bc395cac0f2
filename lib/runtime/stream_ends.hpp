// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream, whom it has its packets from and sends them by, and whose kernels serve it.
#pragma once

#include "lib/gpu/gpu_device.hpp"
#include "lib/runtime/gpu_stream.hpp"
#include "lib/runtime/steered_port.hpp"

namespace ringside {

struct StreamEnds {
  const GpuStream& stream;
  SteeredPort& from;
  SteeredPort& to;
  GpuDevice& gpu;

  mlx5::ReceiveRing& rx() const { return from.queues.rx(stream.rx_queue()); }
  mlx5::TxQueue& tx() const { return to.queues.tx(stream.tx_queue()); }
};

}  // namespace ringside
