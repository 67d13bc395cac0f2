// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The headers and fields that pipelines can name, for kernels and for what lays their stages out.
#pragma once

#include <cstdint>

namespace ringside::stages {

/// In the order in which headers follow each other.
enum class Item : std::uint8_t {
  kEth,
  kVlan,
  kArp,
  kIpv4,
  kIpv6,
  kIcmp,
  kIcmp6,
  kTcp,
  kUdp,
  kVxlan,
  kGtpu,
  kEcpri,
  kMeta,  ///< what the NIC or a stage says of a packet; every packet has it
};

enum class Field : std::uint8_t {
  kEthDst,
  kEthSrc,
  kEthType,  ///< behind the VLAN tags
  kVlanVid,  ///< of the outermost tag
  kVlanPcp,
  kArpOpcode,
  kIpv4Src,
  kIpv4Dst,
  kIpv4Proto,
  kIpv4Tos,
  kIpv4Ttl,
  kIpv6Src,
  kIpv6Dst,
  kIpv6Proto,  ///< behind the extension headers
  kIpv6Tc,
  kIpv6Hop,
  kIcmpType,
  kIcmpCode,
  kIcmp6Type,
  kIcmp6Code,
  kTcpSrc,
  kTcpDst,
  kTcpFlags,
  kUdpSrc,
  kUdpDst,
  kVxlanVni,
  kGtpuTeid,
  kEcpriType,
  kEcpriPcId,
  kMetaMark,    ///< set by the flow action mark; 0 without
  kMetaTag,     ///< set by the stage lookup; 0 without
  kMetaLength,  ///< bytes, without FCS
};

/// Which part of a packet its flow is told by.
enum class HashOver : std::uint8_t { kFiveTuple, kIpPair, kSourceIp, kDestinationIp };

}  // namespace ringside::stages
