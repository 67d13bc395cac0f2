// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A received packet, as a thread of the block sees it: the data in its slot and what the NIC found
// out about it (PRM, "CQE Format"). Valid until the packet is sent or released. Any thread may ask;
// nothing waits, and nothing orders memory: the receive has acquired all of it.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"
#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/nic_time.hpp"

namespace ringside {

/// What the NIC took a packet for.
struct RxPacketType {
  enum class L3 : std::uint8_t { kOther, kIpv4, kIpv6 };
  enum class L4 : std::uint8_t { kOther, kTcp, kUdp };
  L3 l3;
  L4 l4;
  bool fragment;  ///< a part of an IP packet
  bool options;   ///< options of IPv4, extension headers of IPv6
};

class Packet {
 public:
  RS_DEVICE Packet(const Cqe* cqe, std::uint64_t iova, std::int64_t view_offset, std::uint32_t slot,
                   std::uint32_t length)
      : cqe_(cqe), iova_(iova), view_offset_(view_offset), slot_(slot), length_(length) {}

  /// The length is the CQE's.
  RS_DEVICE Packet(const Cqe* cqe, std::uint64_t iova, std::int64_t view_offset, std::uint32_t slot)
      : Packet(cqe, iova, view_offset, slot, cqe->byte_count.value()) {}

  /// Of no bytes, in place of one that was not received well. It has no data and no CQE.
  RS_DEVICE static Packet none() { return {nullptr, 0, 0, 0, 0}; }

  /// length() bytes; of a SplitPacket the first part of them.
  RS_DEVICE std::uint8_t* data() const {
    return reinterpret_cast<std::uint8_t*>(iova_ + static_cast<std::uint64_t>(view_offset_));
  }
  /// Bytes, without FCS.
  RS_DEVICE std::uint32_t length() const { return length_; }
  /// The receive queue's slot that holds it, and the NIC's address of it.
  RS_DEVICE std::uint32_t slot() const { return slot_; }
  RS_DEVICE std::uint64_t iova() const { return iova_; }

  /// The packet's CQE, the NIC's until the slot is released.
  RS_DEVICE const Cqe* cqe() const { return cqe_; }

  // What follows is read from the CQE when it is asked for, which may be a PCIe round trip away.

  /// When it arrived, as the NIC counts it, and in nanoseconds of the NIC's clock. `to_ns` is of
  /// the packet's queue (mlx5::RxQueue::stamp_to_ns()), a kernel's argument: it is not in the
  /// handle, which kernels that ask for no times copy too.
  RS_DEVICE std::uint64_t timestamp() const { return cqe_->timestamp.value(); }
  RS_DEVICE std::uint64_t timestamp_ns(const StampToNs& to_ns) const { return to_ns(timestamp()); }

  RS_DEVICE RxPacketType type() const;

  RS_DEVICE bool has_rss_hash() const { return cqe_->rx_hash_type != 0; }
  RS_DEVICE std::uint32_t rss_hash() const { return cqe_->rx_hash_result.value(); }

  /// rte_flow's MARK. The tag that steering sets is one more than the mark, so that 0 says none.
  RS_DEVICE bool has_flow_mark() const { return flow_tag() != 0; }
  RS_DEVICE std::uint32_t flow_mark() const { return flow_tag() - 1; }

  /// The NIC has verified the IPv4 header checksum, or the TCP or UDP one, and it is right.
  RS_DEVICE bool l3_checksum_ok() const { return (cqe_->header_flags & kCqeL3Ok) != 0; }
  RS_DEVICE bool l4_checksum_ok() const { return (cqe_->header_flags & kCqeL4Ok) != 0; }

  /// The NIC has taken the VLAN tag out of the data; its tag control information.
  RS_DEVICE bool vlan_stripped() const { return (cqe_->header_types & kCqeVlanStripped) != 0; }
  RS_DEVICE std::uint16_t vlan_tci() const { return cqe_->vlan_info.value(); }

 private:
  /// The PMD gives steering its tag in the order of a little-endian host (mlx5_flow_mark_set).
  RS_DEVICE std::uint32_t flow_tag() const { return cqe_->sop_qpn.raw >> 8; }

  const Cqe* cqe_;
  std::uint64_t iova_;
  std::int64_t view_offset_;
  std::uint32_t slot_;
  std::uint32_t length_;
};

RS_DEVICE RxPacketType Packet::type() const {
  const std::uint8_t types = cqe_->header_types;
  RxPacketType type{RxPacketType::L3::kOther, RxPacketType::L4::kOther,
                    (types & kCqeIpFragment) != 0, (types & kCqeIpOptions) != 0};
  const unsigned l3 = types & kCqeL3Mask;
  if (l3 == kCqeL3Ipv4) type.l3 = RxPacketType::L3::kIpv4;
  if (l3 == kCqeL3Ipv6) type.l3 = RxPacketType::L3::kIpv6;
  const unsigned l4 = types & kCqeL4Mask;
  // NICs tell TCP apart by its acknowledgement.
  if (l4 == kCqeL4Tcp || l4 == kCqeL4TcpAck || l4 == kCqeL4TcpAckAndData) {
    type.l4 = RxPacketType::L4::kTcp;
  }
  if (l4 == kCqeL4Udp) type.l4 = RxPacketType::L4::kUdp;
  return type;
}

}  // namespace ringside
