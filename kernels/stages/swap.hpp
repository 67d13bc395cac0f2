// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Exchanges source and destination. No checksum changes, a sum has no order; but the source is all
// that the pseudo-header has of an IPv6 packet that is routed by its header.
#pragma once

#include "kernels/stages/bytes.hpp"
#include "kernels/stages/checksum.hpp"
#include "kernels/stages/packet_view.hpp"

namespace ringside::stages {

RS_DEVICE void swap_macs(PacketView& packet) {
  const std::uint16_t at = packet.headers.outer.ethernet;
  if (at != kNoHeader) swap_bytes(packet.data + at, packet.data + at + 6, 6);
}

RS_DEVICE void swap_ips(PacketView& packet) {
  const Layers& layers = packet.headers.outer;
  if (layers.l3 == L3::kNone) return;
  std::uint8_t* const l3 = packet.data + layers.l3_offset;
  if (layers.l3 == L3::kIpv4) swap_bytes(l3 + 12, l3 + 16, 4);
  if (layers.l3 != L3::kIpv6) return;
  swap_bytes(l3 + 8, l3 + 24, 16);
  if (!layers.routed) return;
  ChecksumChange change;
  for (std::uint32_t i = 0; i < 16; i += 2) change.word(load16(l3 + 24 + i), load16(l3 + 8 + i));
  apply_change_l4(packet, layers, change, true);
}

/// Of the first part of a fragmented packet too: the others hold no ports.
RS_DEVICE void swap_ports(PacketView& packet) {
  const Layers& layers = packet.headers.outer;
  if (layers.l4 != L4::kTcp && layers.l4 != L4::kUdp) return;
  std::uint8_t* const l4 = packet.data + layers.l4_offset;
  swap_bytes(l4, l4 + 2, 2);
}

struct SwapParameters {
  bool macs;
  bool ips;
  bool ports;
};

RS_DEVICE void run_swap(PacketView& packet, const SwapParameters& parameters) {
  if (parameters.macs) swap_macs(packet);
  if (parameters.ips) swap_ips(packet);
  if (parameters.ports) swap_ports(packet);
}

}  // namespace ringside::stages
