// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet filter: DNS goes back to where the port's cable leads, all else is dropped.
#include "kernels/user_kernel.hpp"

using namespace ringside;

struct DnsOnly {
  static constexpr std::string_view kName = "dns_only";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  RS_DEVICE static Verdict process(const Packet& packet, const ProgramArgs&) {
    const RxPacketType type = packet.type();  // what the NIC took it for
    if (type.l4 != RxPacketType::L4::kUdp || type.fragment || type.options) return Verdict::kDrop;
    const bool ipv6 = type.l3 == RxPacketType::L3::kIpv6;
    const std::uint8_t* const frame = packet.data();
    if (word(frame + 12) != (ipv6 ? 0x86dd : 0x0800)) return Verdict::kDrop;  // it has a VLAN tag
    const std::uint8_t* const udp = frame + kEthernetHeader + (ipv6 ? 40 : 20);
    return word(udp) == 53 || word(udp + 2) == 53 ? Verdict::kSend : Verdict::kDrop;
  }

 private:
  RS_DEVICE static int word(const std::uint8_t* at) { return at[0] << 8 | at[1]; }
};

RINGSIDE_PROGRAM(dns_only, DnsOnly)
