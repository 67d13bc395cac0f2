// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// CommListPlaces of lib/gpu/burst_places.hpp.
#include <rte_atomic.h>
#include <rte_errno.h>
#include <rte_gpudev.h>

#include <cstddef>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/gpu/burst_places.hpp"

namespace ringside {
namespace {

// Kernels read gpudev's structures under our names.
static_assert(sizeof(BurstPacket) == sizeof(rte_gpu_comm_pkt));
static_assert(offsetof(BurstPacket, address) == offsetof(rte_gpu_comm_pkt, addr));
static_assert(offsetof(BurstPacket, length) == offsetof(rte_gpu_comm_pkt, size));
static_assert(sizeof(BurstState) == sizeof(rte_gpu_comm_list_status));
constexpr bool same(BurstState ours, rte_gpu_comm_list_status gpudevs) {
  return static_cast<unsigned>(ours) == static_cast<unsigned>(gpudevs);
}
static_assert(same(BurstState::kFree, RTE_GPU_COMM_LIST_FREE));
static_assert(same(BurstState::kReady, RTE_GPU_COMM_LIST_READY));
static_assert(same(BurstState::kDone, RTE_GPU_COMM_LIST_DONE));

}  // namespace

void CommListPlaces::Destroy::operator()(rte_gpu_comm_list* list) const noexcept {
  rte_gpu_comm_destroy_list(list, items);
}

CommListPlaces::CommListPlaces(GpuDevice& device, const BurstPlacesConfig& config)
    : BurstPlaces(device, config),
      list_(rte_gpu_comm_create_list(static_cast<std::uint16_t>(device.info().id), config.count),
            Destroy{config.count}) {
  if (list_ == nullptr) {
    throw Error(fmt::format("gpudev makes no communication list of {} items on {}: {}",
                            config.count, device.info().name, dpdk_errno_text(rte_errno)),
                "give EAL more memory (hugepages, -m), or use another --gpu-launch");
  }
  if (config.capacity > RTE_GPU_COMM_LIST_PKTS_MAX) {
    throw usage_error(fmt::format("bursts of {} packets in a communication list", config.capacity),
                      fmt::format("use at most {}", RTE_GPU_COMM_LIST_PKTS_MAX));
  }
  // Where gpudev cannot map GPU memory to the CPU, the states are in host memory.
  const bool in_gpu = list_->status_d != list_->status_h;
  state_view_offset_ =
      in_gpu ? device.view_offset(reinterpret_cast<std::uint8_t*>(list_->status_d)) : 0;
}

bool CommListPlaces::put(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept {
  const int result =
      rte_gpu_comm_populate_list_pkts(&list_.get()[place], const_cast<rte_mbuf**>(mbufs.data()),
                                      static_cast<std::uint32_t>(mbufs.size()));
  if (result != 0) clear(place);  // of those before the one that it does not take
  return result == 0;
}

bool CommListPlaces::done(std::uint32_t place) const noexcept {
  rte_gpu_comm_list_status status = RTE_GPU_COMM_LIST_ERROR;
  rte_gpu_comm_get_status(&list_.get()[place], &status);
  // Pairs with the kernel's release: gpudev's load is a plain one. DPDK's barrier, since
  // ThreadSanitizer takes no fence of the language.
  rte_smp_rmb();
  return status == RTE_GPU_COMM_LIST_DONE;
}

void CommListPlaces::clear(std::uint32_t place) noexcept {
  rte_gpu_comm_cleanup_list(&list_.get()[place]);
}

const BurstPacket* CommListPlaces::kernel_packets(std::uint32_t place) const noexcept {
  return reinterpret_cast<const BurstPacket*>(list_.get()[place].pkt_list);
}

BurstState* CommListPlaces::kernel_state(std::uint32_t place) const noexcept {
  return reinterpret_cast<BurstState*>(
      reinterpret_cast<std::uint8_t*>(list_.get()[place].status_d) + state_view_offset_);
}

}  // namespace ringside
