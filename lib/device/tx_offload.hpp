// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the NIC changes in a packet while it sends it (PRM, "Ethernet Segment").
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"
#include "lib/mlx5/format/wqe.hpp"

namespace ringside {

/// Checksums are computed over what is sent, whatever the packet's memory holds in their fields.
/// Packets without the headers in question go out as they are.
struct TxOffload {
  /// kCsL3 (IPv4) and kCsL4 (TCP, UDP); with a tunnel (VXLAN, GRE) these are the outer headers',
  /// and kCsInnerL3 and kCsInnerL4 those of the packet in it.
  std::uint8_t checksums = 0;
  /// Puts an 802.1Q tag behind the addresses: priority 15..13, drop eligible 12, VLAN 11..0.
  bool insert_vlan = false;
  std::uint16_t vlan_tci = 0;

  RS_DEVICE bool any() const { return checksums != 0 || insert_vlan; }
  bool operator==(const TxOffload&) const = default;
};

}  // namespace ringside
