// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory of a GPU as an arena for rings and for what kernels keep about them.
#pragma once

#include "lib/gpu/gpu_device.hpp"
#include "lib/mlx5/ring_memory.hpp"

namespace ringside {

/// The CPU's way into device memory: the GPU copies.
class DeviceAccess final : public mlx5::RingAccess {
 public:
  /// Both outlive it.
  DeviceAccess(GpuDevice& gpu, const GpuMemory& memory) noexcept : gpu_(gpu), memory_(memory) {}

  void read(void* to, std::size_t offset, std::size_t size) override {
    gpu_.copy_from_device(to, memory_, offset, size);
  }
  // A copy has ended when it returns, so writes are in order.
  void write(std::size_t offset, const void* from, std::size_t size) override {
    gpu_.copy_to_device(memory_, offset, from, size);
  }
  void write_word(std::size_t offset, std::uint32_t word) override {
    gpu_.copy_to_device(memory_, offset, &word, sizeof(word));
  }

 private:
  GpuDevice& gpu_;
  const GpuMemory& memory_;
};

}  // namespace ringside
