// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fills in the checksums that a NIC computes: IPv4 header (RFC 791), TCP and UDP (RFC 9293, 768,
// 8200), behind up to two VLAN tags and any IPv6 extension headers, and inside VXLAN (UDP port 4789),
// GRE and IP in IP.
#pragma once

#include <cstdint>
#include <span>

namespace softcx {

enum class Headers : std::uint8_t { kOuter, kInner };

/// Both leave a frame alone that has no such headers, whose headers are cut, are no IP, or carry a
/// fragment (layer 4). The outer UDP checksum covers the inner headers: write those first.
void write_ipv4_checksum(std::span<std::uint8_t> frame, Headers headers = Headers::kOuter);
void write_l4_checksum(std::span<std::uint8_t> frame, Headers headers = Headers::kOuter);

}  // namespace softcx
