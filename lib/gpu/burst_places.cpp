// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/burst_places.hpp"

#include <rte_mbuf.h>

#include <algorithm>
#include <atomic>

namespace ringside {
namespace {

constexpr std::size_t kLine = 128;  // of the GPU's L2: a place shares none with its neighbour

/// In elements of T, so that each place begins a line.
template <class T>
std::size_t stride(std::uint32_t capacity) {
  constexpr std::size_t kEach = kLine / sizeof(T);
  return (capacity + kEach - 1) / kEach * kEach;
}

template <class T>
GpuMemory array(GpuDevice& device, const BurstPlacesConfig& config) {
  return device.allocate_shared(config.count * stride<T>(config.capacity) * sizeof(T), kLine);
}

template <class T>
T* at(const GpuMemory& memory, std::uint32_t place, std::uint32_t capacity) noexcept {
  return reinterpret_cast<T*>(memory.data()) + place * stride<T>(capacity);
}

template <class T>
T* kernel_at(const GpuMemory& memory, std::uint32_t place, std::uint32_t capacity) noexcept {
  return memory.kernel_pointer<T>(place * stride<T>(capacity) * sizeof(T));
}

BurstPacketInfo info_of(const rte_mbuf& mbuf) noexcept {
  const std::uint64_t flags = mbuf.ol_flags;
  const auto checksum_is = [flags](std::uint64_t mask, std::uint64_t good, std::uint8_t bit) {
    return (flags & mask) == good ? bit : std::uint8_t{0};
  };
  const bool stripped = (flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
  return BurstPacketInfo{
      .rss_hash = mbuf.hash.rss,
      .flow_tag = (flags & RTE_MBUF_F_RX_FDIR_ID) != 0 ? mbuf.hash.fdir.hi + 1 : 0,
      .vlan_tci = stripped ? mbuf.vlan_tci : std::uint16_t{0},
      .rss_hash_valid = (flags & RTE_MBUF_F_RX_RSS_HASH) != 0,
      .header_flags = static_cast<std::uint8_t>(
          checksum_is(RTE_MBUF_F_RX_IP_CKSUM_MASK, RTE_MBUF_F_RX_IP_CKSUM_GOOD, kCqeL3Ok) |
          checksum_is(RTE_MBUF_F_RX_L4_CKSUM_MASK, RTE_MBUF_F_RX_L4_CKSUM_GOOD, kCqeL4Ok)),
      .header_types = stripped ? kCqeVlanStripped : std::uint8_t{0}};
}

}  // namespace

BurstPlaces::BurstPlaces(GpuDevice& device, const BurstPlacesConfig& config)
    : config_(config),
      infos_(array<BurstPacketInfo>(device, config)),
      verdicts_(array<Verdict>(device, config)) {}

BurstLaneArgs BurstPlaces::lane_args() const {
  BurstLaneArgs lane{};
  lane.count = config_.count;
  for (std::uint32_t place = 0; place < config_.count; ++place) {
    lane.places[place] = {
        .packets = kernel_packets(place),
        .infos = kernel_at<BurstPacketInfo>(infos_, place, config_.capacity),
        .verdicts = kernel_at<Verdict>(verdicts_, place, config_.capacity),
        .state = kernel_state(place),
        .capacity = config_.capacity,
        .view_offset = config_.view_offset,
        .program = config_.program,
    };
  }
  return lane;
}

bool BurstPlaces::fill(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept {
  auto* infos = at<BurstPacketInfo>(infos_, place, config_.capacity);
  for (std::size_t i = 0; i < mbufs.size(); ++i) infos[i] = info_of(*mbufs[i]);
  return put(place, mbufs);
}

const Verdict* BurstPlaces::verdicts(std::uint32_t place) const noexcept {
  return at<Verdict>(verdicts_, place, config_.capacity);
}

PinnedPlaces::PinnedPlaces(GpuDevice& device, const BurstPlacesConfig& config)
    : BurstPlaces(device, config),
      packets_(array<BurstPacket>(device, config)),
      states_(device.allocate_shared(config.count * kLine, kLine)) {}

BurstPacket* PinnedPlaces::packets(std::uint32_t place) const noexcept {
  return at<BurstPacket>(packets_, place, config_.capacity);
}

BurstState* PinnedPlaces::state(std::uint32_t place) const noexcept {
  return reinterpret_cast<BurstState*>(states_.data() + place * kLine);
}

bool PinnedPlaces::put(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept {
  if (std::ranges::any_of(mbufs, [](const rte_mbuf* mbuf) { return mbuf->nb_segs != 1; })) {
    return false;
  }
  BurstPacket* const list = packets(place);
  for (std::size_t i = 0; i < mbufs.size(); ++i) {
    list[i] = {reinterpret_cast<std::uintptr_t>(rte_pktmbuf_mtod(mbufs[i], void*)),
               mbufs[i]->pkt_len};
  }
  // Each thread looks at places of its own, so all that the last burst filled are emptied.
  for (std::size_t i = mbufs.size(); i < filled_[place]; ++i) list[i].address = 0;
  filled_[place] = static_cast<std::uint32_t>(mbufs.size());
  // Release: a resident kernel that sees it (acquire) sees the packets.
  std::atomic_ref(*state(place)).store(BurstState::kReady, std::memory_order_release);
  return true;
}

bool PinnedPlaces::done(std::uint32_t place) const noexcept {
  // Acquire pairs with the kernel's release.
  return std::atomic_ref(*state(place)).load(std::memory_order_acquire) == BurstState::kDone;
}

void PinnedPlaces::clear(std::uint32_t place) noexcept {
  std::atomic_ref(*state(place)).store(BurstState::kFree, std::memory_order_relaxed);
}

const BurstPacket* PinnedPlaces::kernel_packets(std::uint32_t place) const noexcept {
  return kernel_at<const BurstPacket>(packets_, place, config_.capacity);
}

BurstState* PinnedPlaces::kernel_state(std::uint32_t place) const noexcept {
  return states_.kernel_pointer<BurstState>(place * kLine);
}

}  // namespace ringside
