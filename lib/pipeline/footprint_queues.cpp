// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <map>

#include "lib/gpu/gpu_pool.hpp"
#include "lib/pipeline/footprint_parts.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/gpu_placement.hpp"
#include "lib/runtime/gpu_port_memory.hpp"
#include "lib/runtime/gpu_stream.hpp"

namespace ringside::pipeline {
namespace {

using Where = FootprintItem::Where;

/// Measured with DPDK 22.11: EAL alone, and what the PMD takes for a port, whatever its flows.
constexpr std::uint64_t kEalBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kPortBytes = std::uint64_t{41} << 20;
/// An mbuf with mempool's header, spread over memory channels, and its place in the pool's ring.
constexpr std::uint64_t kMbufBytes = 340;

class QueueFootprint {
 public:
  QueueFootprint(const RuntimeConfig& runtime, Footprint& footprint)
      : runtime_(runtime),
        ports_(runtime.gpu_ids.size()),
        placement_(runtime, ports_),
        footprint_(footprint) {}

  void add() {
    std::uint64_t mbufs = std::uint64_t{kIdleMbufs} * ports_;
    const std::uint64_t idle_bytes = mbufs * idle_mbuf_size(runtime_);
    for (std::size_t gpu = 0; gpu < placement_.ids().size(); ++gpu) mbufs += add_pools(gpu);
    for (std::size_t port = 0; port < ports_; ++port) add_rings(port);
    add_pinned("counters",
               GpuStream::word_bytes(runtime_.blocks_per_stream, placement_.streams().size()));
    footprint_.add({Where::kHugepages, 0, "EAL and ports", kEalBytes + ports_ * kPortBytes, false});
    footprint_.add({Where::kHugepages, 0, "mbufs", mbufs * kMbufBytes + idle_bytes, false});
  }

 private:
  /// Returns how many mbufs they have.
  std::uint64_t add_pools(std::size_t gpu) {
    const std::size_t ports = placement_.ports_on(gpu);
    const std::uint32_t packets = pool_mbufs_here(runtime_, ports, ports_);
    add_packets(runtime_.mempool, gpu, "packet buffers",
                GpuPool::bytes_for(packets, runtime_.mbuf_size));
    if (!runtime_.headers) return packets;
    const std::uint32_t headers = header_mbufs(runtime_, ports);
    add_packets(runtime_.headers->mempool, gpu, "header buffers",
                GpuPool::bytes_for(headers, runtime_.headers->mbuf_size));
    return std::uint64_t{packets} + headers;
  }

  /// As GpuPort has them: receive queues with its own GPU, each send queue with its stream's.
  void add_rings(std::size_t port) {
    const std::size_t own = placement_.of_port(port);
    std::map<std::size_t, std::size_t> send_queues{{own, 0}};
    for (std::uint16_t q = 0; q < runtime_.tx_queues; ++q) {
      ++send_queues[placement_.of_send_queue(port, q)];
    }
    for (const auto& [gpu, sending] : send_queues) {
      const std::size_t receiving = gpu == own ? runtime_.rx_queues : 0U;
      const std::size_t rings = GpuPortMemory::ring_bytes(receiving, sending, runtime_);
      if (RingPlace::for_gpu_memory(runtime_)) {
        add_device(gpu, "rings", rings, true);
      } else {
        add_pinned("rings", rings);
      }
      add_device(gpu, "queue state", GpuPortMemory::kernel_bytes(receiving, sending, runtime_),
                 false);
    }
  }

  void add_packets(MempoolKind kind, std::size_t gpu, const char* what, std::uint64_t bytes) {
    if (kind == MempoolKind::kGpu) {
      add_device(gpu, what, bytes, true);
    } else {
      add_pinned(what, bytes);
    }
  }
  void add_device(std::size_t gpu, const char* what, std::uint64_t bytes, bool by_nic) {
    footprint_.add({Where::kDevice, static_cast<std::uint16_t>(placement_.ids()[gpu]), what,
                    device_allocation(bytes), by_nic});
  }
  void add_pinned(const char* what, std::uint64_t bytes) {
    footprint_.add({Where::kPinned, 0, what, pinned_allocation(bytes), false});
  }

  const RuntimeConfig& runtime_;
  const std::size_t ports_;
  const GpuPlacement placement_;
  Footprint& footprint_;
};

}  // namespace

void add_queues(const RuntimeConfig& runtime, Footprint& footprint) {
  QueueFootprint(runtime, footprint).add();
}

}  // namespace ringside::pipeline
