// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a port has in one GPU's reach: rings, words that only kernels use, and the NIC's key for the
// packets.
#pragma once

#include <cstddef>
#include <optional>

#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/striding_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "lib/runtime/gpu_home.hpp"
#include "lib/runtime/gpu_ring_memory.hpp"
#include "lib/runtime/nic.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// Of config.strides, which there are.
mlx5::StridingShape striding_shape(const RuntimeConfig& config);

class GpuPortMemory {
 public:
  /// What so many queues' rings take, which the NIC reaches, and what only kernels do.
  static std::size_t ring_bytes(std::size_t rx_queues, std::size_t tx_queues,
                                const RuntimeConfig& config) noexcept;
  static std::size_t kernel_bytes(std::size_t rx_queues, std::size_t tx_queues,
                                  const RuntimeConfig& config) noexcept;

  /// For so many queues. All outlive it. Throws Error.
  GpuPortMemory(const Nic& nic, GpuHome home, std::size_t rx_queues, std::size_t tx_queues,
                const RuntimeConfig& config);
  GpuPortMemory(const GpuPortMemory&) = delete;
  GpuPortMemory& operator=(const GpuPortMemory&) = delete;

  GpuDevice& gpu() const noexcept { return home_.gpu; }
  GpuPool& pool() const noexcept { return home_.pool; }
  std::int64_t view_offset() const noexcept { return home_.pool.memory().view_offset(); }
  std::uint32_t lkey() const noexcept { return key_.lkey(); }
  /// nullptr where packets are whole, and the key without meaning.
  GpuPool* header_pool() const noexcept { return home_.headers; }
  std::uint32_t header_lkey() const noexcept { return header_key_ ? header_key_->lkey() : 0; }
  const RingPlace& rings() const noexcept { return rings_; }
  mlx5::RingArena& kernel_words() noexcept { return kernel_; }
  mlx5::QueueArenas arenas() noexcept { return {rings_.arena(), kernel_}; }
  /// Rings and packets lie in the GPU's own memory.
  bool all_in_gpu_memory() const noexcept { return rings_.in_gpu_memory() && packets_in_gpu_; }

 private:
  const GpuHome home_;
  const bool packets_in_gpu_;
  mlx5::MemoryKey key_;
  std::optional<mlx5::MemoryKey> header_key_;
  RingPlace rings_;
  GpuMemory kernel_memory_;
  DeviceAccess kernel_access_;
  mlx5::RingArena kernel_;
};

}  // namespace ringside
