// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the rings of a port lie, and how the CPU reaches them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/gpu/gpu_device.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "lib/runtime/nic.hpp"
#include "lib/runtime/runtime.hpp"

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

/// Memory for what the NIC and kernels share.
///
/// Left to itself it lies where the packets do, so that a CQE comes the same way as its packet and
/// cannot overtake it; or in pinned host memory where the NIC does not take a dma-buf of the GPU's.
class RingPlace {
 public:
  /// Where the NIC takes a dma-buf of the GPU's, that is where they lie.
  static bool for_gpu_memory(const RuntimeConfig& config) noexcept;

  /// All outlive it. Throws Error; usage_error when CQEs could overtake their packets.
  RingPlace(const Nic& nic, GpuDevice& gpu, std::size_t bytes, const RuntimeConfig& config);
  RingPlace(const RingPlace&) = delete;
  RingPlace& operator=(const RingPlace&) = delete;

  mlx5::RingArena& arena() noexcept { return *arena_; }
  bool in_gpu_memory() const noexcept { return in_gpu_memory_; }
  /// "rings in GPU memory", or why they are not.
  const std::string& text() const noexcept { return text_; }

 private:
  void take_device(const Nic& nic, GpuDevice& gpu, std::size_t bytes);
  void take_pinned(const Nic& nic, GpuDevice& gpu, std::size_t bytes);

  GpuMemory memory_;
  std::unique_ptr<mlx5::RingAccess> access_;
  std::optional<mlx5::Umem> umem_;
  std::optional<mlx5::RingArena> arena_;
  bool in_gpu_memory_ = false;
  std::string text_;
};

}  // namespace ringside
