// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fills in the checksums that a NIC computes: IPv4 header (RFC 791), TCP and UDP (RFC 9293, 768,
// 8200), behind up to two VLAN tags and any IPv6 extension headers.
#pragma once

#include <cstdint>
#include <span>

namespace softcx {

/// Both leave a frame alone whose headers are cut, are no IP, or carry a fragment (layer 4).
void write_ipv4_checksum(std::span<std::uint8_t> frame);
void write_l4_checksum(std::span<std::uint8_t> frame);

}  // namespace softcx
