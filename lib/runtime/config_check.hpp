// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What can be said about a RuntimeConfig before and after the devices are known.
#pragma once

#include <cstdint>

#include "lib/runtime/forward_mode.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

inline constexpr std::uint32_t kMaxBurst = 512;
/// FCS included: Linux refuses a netdev an MTU below 68.
inline constexpr std::uint32_t kMinPacketLength = 86;
inline constexpr std::uint32_t kDefaultMaxPacketLength = 1518;  ///< FCS included, no VLAN tag

/// Throws a usage error for the first value that no device could make right.
void check_config(const RuntimeConfig& config);
/// Throws a usage error when `bursts` cannot be sent before forwarding in that mode.
void check_tx_first(const RuntimeConfig& config, const ForwardMode& mode, std::uint32_t bursts);

/// What a device allows; `device` names it in errors.
struct QueueLimits {
  std::string device;
  std::uint32_t max_queues;
  std::uint32_t max_descriptors;
};
/// The GPU data path's rings against a device. Throws usage errors.
void check_queue_limits(const RuntimeConfig& config, const QueueLimits& limits);

/// FCS included, defaults resolved.
std::uint32_t max_packet_length(const RuntimeConfig& config) noexcept;
/// That holds so many strides. Throws usage_error where none does.
std::uint16_t mbuf_size_for(const RxStrides& strides);
/// Of a receive queue of the GPU data path.
std::uint32_t rx_buffers(const RuntimeConfig& config) noexcept;
/// Bytes of each packet that are split from the rest; 0: none.
std::uint32_t header_bytes(const RuntimeConfig& config) noexcept;
/// Size of the pool of config.headers, which there is.
std::uint32_t header_mbufs(const RuntimeConfig& config, std::size_t ports) noexcept;
/// Mbufs that the queues of `ports` ports hold at most.
std::uint32_t mbufs_in_queues(const RuntimeConfig& config, std::size_t ports) noexcept;
/// Mbufs that each lcore may keep for itself; 0 on the GPU data path, whose queues keep theirs.
std::uint32_t mbuf_cache(const RuntimeConfig& config, std::size_t ports);
/// Size of the pool; throws a usage error when total_mbufs is too small for the queues.
std::uint32_t pool_mbufs(const RuntimeConfig& config, std::size_t ports);
/// Of that, for a GPU with queues of `ports_here` of the ports: its share, and what they need at
/// least.
std::uint32_t pool_mbufs_here(const RuntimeConfig& config, std::size_t ports_here,
                              std::size_t ports);

/// The GPU data path's pool of the CPU, for the PMD's own queues: no rule leads to them, and only
/// what the host's programs send leaves by them. Mbufs of a port, and bytes of one.
inline constexpr std::uint32_t kIdleMbufs = 255;
std::uint16_t idle_mbuf_size(const RuntimeConfig& config) noexcept;

}  // namespace ringside
