// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One port's queues on the GPU data path: receive and send rings made by DevX over buffers of the
// GPU pool, and the rules that lead all traffic to them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "lib/flow/external_queue.hpp"
#include "lib/flow/steering.hpp"
#include "lib/gpu/gpu_pool.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "lib/runtime/buffers.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/gpu_ring_memory.hpp"
#include "lib/runtime/nic.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// Where packets go, whole or in two parts.
struct PacketPools {
  GpuPool& packets;
  GpuPool* headers;  ///< of the first part; nullptr: packets are whole
};

class GpuPort {
 public:
  /// What a NIC allows. Throws Error when it does not answer.
  static QueueLimits limits(const Nic& nic);

  /// Queues are ready, buffers posted, and nothing leads to them yet. Throws Error.
  GpuPort(const Nic& nic, GpuDevice& gpu, const PacketPools& pools, const RuntimeConfig& config);
  GpuPort(const GpuPort&) = delete;
  GpuPort& operator=(const GpuPort&) = delete;

  /// After each start of the ethdev port, whose stop forgets all rules; or while it runs, to change
  /// them. Throws Error; the former rules hold then.
  void steer(const PortFlows& flows);
  /// Before each stop of the ethdev port.
  void unsteer() noexcept { steering_.reset(); }
  std::vector<FlowHits> flow_counts() const {
    return steering_ ? steering_->counts() : std::vector<FlowHits>{};
  }

  mlx5::RxQueue& rx(std::uint16_t queue) { return rx_.at(queue); }
  mlx5::TxQueue& tx(std::uint16_t queue) { return tx_.at(queue); }
  /// The send queue for a kernel, its doorbell as the GPU writes it.
  TxQueueHandle tx_handle(std::uint16_t queue) const;
  /// Buffers of a send queue for frames that the kernel makes itself.
  TxBuffers tx_buffers(std::uint16_t queue) const;
  /// Where the rings lie, in words.
  const std::string& rings_text() const noexcept { return rings_.text(); }
  /// Packets that found no posted buffer, since creation. Throws Error.
  std::uint64_t out_of_buffer() { return counter_.out_of_buffer(); }

 private:
  void make_rx(std::uint16_t queue, const PacketPools& pools, const mlx5::QueueArenas& arenas,
               const RuntimeConfig& config);

  std::uint16_t port_;
  std::int64_t view_offset_;
  bool packets_in_gpu_memory_;
  mlx5::QueueDomain domain_;
  mlx5::QCounter counter_;
  mlx5::MemoryKey key_;
  std::optional<mlx5::MemoryKey> header_key_;
  std::deque<Buffers> rx_buffers_;
  std::deque<Buffers> rx_headers_;
  std::deque<Buffers> tx_buffers_;
  RingPlace rings_;
  GpuMemory kernel_memory_;  ///< what only kernels use
  DeviceAccess kernel_access_;
  mlx5::RingArena kernel_;
  std::deque<mlx5::TxQueue> tx_;
  std::deque<DoorbellMapping> doorbells_;
  std::deque<mlx5::RxQueue> rx_;
  std::vector<mlx5::RingMemory> tx_iova_;
  std::deque<ExternalQueue> external_;
  std::uint32_t turn_ = 0;
  std::unique_ptr<Steering> steering_;
};

}  // namespace ringside
