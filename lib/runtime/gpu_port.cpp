// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_port.hpp"

#include <algorithm>
#include <bit>

#include "lib/base/error.hpp"

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

std::size_t ring_bytes(const RuntimeConfig& config) {
  return config.rx_queues *
         (mlx5::RxQueue::ring_bytes(log2_of(config.rx_descriptors), slot_parts(config)) +
          mlx5::TxQueue::ring_bytes(log2_of(config.tx_descriptors)));
}

std::size_t kernel_bytes(const RuntimeConfig& config) {
  return config.rx_queues *
         (mlx5::RxQueue::kernel_bytes(log2_of(config.rx_descriptors), slot_parts(config)) +
          mlx5::TxQueue::kernel_bytes(log2_of(config.tx_descriptors)) +
          kOwnTxBuffers * sizeof(std::uint64_t) + mlx5::RingArena::kLine);
}

/// Everything that a kernel writes before a doorbell.
bool all_in_gpu_memory(const RuntimeConfig& config) {
  return config.mempool == MempoolKind::kGpu &&
         (!config.headers || config.headers->mempool == MempoolKind::kGpu);
}

}  // namespace

QueueLimits GpuPort::limits(const Nic& nic) {
  const mlx5::Capabilities can = mlx5::Capabilities::query(nic.context());
  return {.device = nic.pci_address(),
          .max_queues = std::min({can.max_receive_queues, can.max_send_queues,
                                  std::uint32_t{ExternalQueue::kMaxPerPort}}),
          .max_descriptors = std::min(can.max_ring_entries, can.max_completion_entries)};
}

GpuPort::GpuPort(const Nic& nic, GpuDevice& gpu, const PacketPools& pools,
                 const RuntimeConfig& config)
    : port_(nic.port()),
      view_offset_(pools.packets.memory().view_offset()),
      packets_in_gpu_memory_(all_in_gpu_memory(config)),
      domain_(nic.context(), nic.pd()),
      counter_(nic.context()),
      key_(packet_key(nic.pd(), gpu, pools.packets.memory())),
      rings_(nic, gpu, ring_bytes(config), config),
      kernel_memory_(gpu.allocate(kernel_bytes(config), mlx5::RingArena::kPage)),
      kernel_access_(gpu, kernel_memory_),
      kernel_(mlx5::RingArena::kNoUmem, kernel_memory_.kernel_pointer<std::uint8_t>(),
              kernel_memory_.size(), kernel_access_) {
  const mlx5::QueueArenas arenas{rings_.arena(), kernel_};
  if (pools.headers != nullptr) {
    header_key_.emplace(packet_key(nic.pd(), gpu, pools.headers->memory()));
  }
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
    const Buffers& own = tx_buffers_.emplace_back(pools.packets, kOwnTxBuffers);
    tx_iova_.push_back(kernel_.take(own.iova().size_bytes(), mlx5::RingArena::kLine));
    tx_iova_.back().write_array(std::vector(own.iova().begin(), own.iova().end()));
    tx_.emplace_back(domain_, arenas, log2_of(config.tx_descriptors), key_.lkey());
    doorbells_.emplace_back(gpu, tx_.back().doorbell());
    make_rx(q, pools, arenas, config);
  }
}

void GpuPort::make_rx(std::uint16_t queue, const PacketPools& pools,
                      const mlx5::QueueArenas& arenas, const RuntimeConfig& config) {
  std::vector<mlx5::SlotBuffers> parts;
  if (pools.headers != nullptr) {
    const Buffers& headers = rx_headers_.emplace_back(*pools.headers, config.rx_descriptors);
    // As many bytes as were asked for: buffers may be larger, for their alignment.
    parts.push_back({.iova = headers.iova(),
                     .length = header_bytes(config),
                     .lkey = header_key_->lkey(),
                     .view_offset = pools.headers->memory().view_offset()});
  }
  const Buffers& slots = rx_buffers_.emplace_back(pools.packets, config.rx_descriptors);
  parts.push_back({.iova = slots.iova(),
                   .length = slots.length(),
                   .lkey = key_.lkey(),
                   .view_offset = view_offset_});
  rx_.emplace_back(
      domain_, arenas,
      mlx5::RxQueueConfig{
          .log_depth = log2_of(config.rx_descriptors), .parts = parts, .q_counter = counter_.id()});
  external_.emplace_back(port_, queue, rx_.back().number());
}

void GpuPort::steer(const PortFlows& flows) {
  std::vector<std::uint16_t> ids;
  for (const ExternalQueue& queue : external_) ids.push_back(queue.id());
  // The former rules go when the new ones are there; when those are refused, they keep their turn.
  steering_ = std::make_unique<Steering>(port_, ids, flows, turn_ + 1);
  ++turn_;
}

TxQueueHandle GpuPort::tx_handle(std::uint16_t queue) const {
  TxQueueHandle handle = tx_.at(queue).handle();
  handle.doorbell = doorbells_.at(queue).kernel_pointer();
  handle.in_gpu_memory = rings_.in_gpu_memory() && packets_in_gpu_memory_;
  if (header_key_) handle.header_lkey = header_key_->lkey();
  return handle;
}

TxBuffers GpuPort::tx_buffers(std::uint16_t queue) const {
  return TxBuffers{.iova = tx_iova_.at(queue).kernel<std::uint64_t>(),
                   .view_offset = view_offset_,
                   .length = tx_buffers_.at(queue).length(),
                   .count = kOwnTxBuffers};
}

}  // namespace ringside
