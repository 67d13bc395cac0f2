// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Exchanges source and destination. No checksum changes: a sum has no order.
#pragma once

#include "kernels/stages/bytes.hpp"
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
  if (layers.l3 == L3::kIpv6) swap_bytes(l3 + 8, l3 + 24, 16);
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
