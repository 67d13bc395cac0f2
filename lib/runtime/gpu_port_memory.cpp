// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_port_memory.hpp"

#include <bit>

#include "lib/base/error.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside {
namespace {

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

/// Buffers by dma-buf where the GPU's driver has one and the NIC's takes it, else by address, which
/// asks for nvidia-peermem on a real GPU.
mlx5::MemoryKey packet_key(const mlx5::Pd& pd, GpuDevice& gpu, const GpuMemory& memory) {
  std::string refused;
  std::uint64_t offset = 0;
  if (const auto dmabuf = gpu.export_dmabuf(memory, offset, refused)) {
    try {
      return {pd, mlx5::DmaBuf{dmabuf->get(), offset}, memory.size(),
              reinterpret_cast<std::uintptr_t>(memory.data())};
    } catch (const Error& error) {
      refused = error.problem();
    }
  }
  try {
    return {pd, memory.data(), memory.size()};
  } catch (const Error& error) {
    throw Error(fmt::format("the NIC cannot reach the GPU's memory by dma-buf ({}) nor by address "
                            "({})",
                            refused, error.problem()),
                "load nvidia-peermem, or NVIDIA's open kernel modules on a kernel with "
                "CONFIG_PCI_P2PDMA; --mp-alloc=gpu-pinned does without");
  }
}

std::size_t slot_parts(const RuntimeConfig& config) {
  return config.headers ? 2 : 1;
}

std::size_t rx_ring_bytes(const RuntimeConfig& config) {
  if (config.strides) return mlx5::StridingQueue::ring_bytes(striding_shape(config));
  return mlx5::RxQueue::ring_bytes(log2_of(config.rx_descriptors), slot_parts(config));
}

std::size_t rx_kernel_bytes(const RuntimeConfig& config) {
  if (config.strides) return mlx5::StridingQueue::kernel_bytes(striding_shape(config));
  return mlx5::RxQueue::kernel_bytes(log2_of(config.rx_descriptors), slot_parts(config));
}

/// Everything that a kernel writes before a doorbell.
bool in_gpu_memory(const RuntimeConfig& config) {
  return config.mempool == MempoolKind::kGpu &&
         (!config.headers || config.headers->mempool == MempoolKind::kGpu);
}

}  // namespace

mlx5::StridingShape striding_shape(const RuntimeConfig& config) {
  return {.log_buffers = log2_of(rx_buffers(config)),
          .strides = {.log_count = log2_of(config.strides->count),
                      .log_bytes = log2_of(config.strides->bytes),
                      .padded = false}};
}

std::size_t GpuPortMemory::ring_bytes(std::size_t rx_queues, std::size_t tx_queues,
                                      const RuntimeConfig& config) noexcept {
  return rx_queues * rx_ring_bytes(config) +
         tx_queues * mlx5::TxQueue::ring_bytes(log2_of(config.tx_descriptors));
}

std::size_t GpuPortMemory::kernel_bytes(std::size_t rx_queues, std::size_t tx_queues,
                                        const RuntimeConfig& config) noexcept {
  return rx_queues * rx_kernel_bytes(config) +
         tx_queues * (mlx5::TxQueue::kernel_bytes(log2_of(config.tx_descriptors)) +
                      config.own_buffers * sizeof(std::uint64_t) + mlx5::RingArena::kLine);
}

GpuPortMemory::GpuPortMemory(const Nic& nic, GpuHome home, std::size_t rx_queues,
                             std::size_t tx_queues, const RuntimeConfig& config)
    : home_(home),
      packets_in_gpu_(in_gpu_memory(config)),
      key_(packet_key(nic.pd(), home.gpu, home.pool.memory())),
      rings_(nic, home.gpu, ring_bytes(rx_queues, tx_queues, config), config),
      kernel_memory_(
          home.gpu.allocate(kernel_bytes(rx_queues, tx_queues, config), mlx5::RingArena::kPage)),
      kernel_access_(home.gpu, kernel_memory_),
      kernel_(mlx5::RingArena::kNoUmem, kernel_memory_.kernel_pointer<std::uint8_t>(),
              kernel_memory_.size(), kernel_access_) {
  if (home.headers != nullptr) {
    header_key_.emplace(packet_key(nic.pd(), home.gpu, home.headers->memory()));
  }
}

}  // namespace ringside
