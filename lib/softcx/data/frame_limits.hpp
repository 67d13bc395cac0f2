// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which lengths a port sends and receives (without the FCS).
#pragma once

#include <cstdint>

#include "lib/softcx/nic/frame.hpp"

namespace softcx {

inline constexpr std::uint32_t kEthernetHeader = 14;
inline constexpr std::uint32_t kLargestMtu = 65535;
/// Under the largest MTU, with two VLAN tags: what is longer is oversize whatever it holds.
inline constexpr std::uint32_t kLongestFrame = kLargestMtu + kEthernetHeader + 2 * 4;

/// Longer than the MTU, the Ethernet header and the VLAN tags (at most two) that the frame has?
bool passes_tagged_limit(const Frame& frame, std::uint32_t mtu) noexcept;
inline bool is_oversize(const Frame& frame, std::uint32_t mtu) noexcept {
  return frame.length > mtu + kEthernetHeader && passes_tagged_limit(frame, mtu);
}

}  // namespace softcx
