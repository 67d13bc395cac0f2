// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A received packet whose headers the NIC has put into one buffer and the rest into another, which
// may be memory of another kind. Calls are as Packet's: any thread, no wait, no order.
#pragma once

#include <cstdint>

#include "lib/device/packet.hpp"

namespace ringside {

class SplitPacket : public Packet {
 public:
  /// `most`: bytes that the first buffer takes. `payload_iova`: of the second, as the NIC has it;
  /// looked at when it is asked for.
  RS_DEVICE SplitPacket(const Packet& packet, std::uint32_t most, const std::uint64_t* payload_iova,
                        std::int64_t payload_view_offset)
      : Packet(packet),
        header_length_(packet.length() < most ? packet.length() : most),
        payload_iova_(payload_iova),
        payload_view_offset_(payload_view_offset) {}

  /// Bytes at data(): where the buffer ends, and not where some header does. length() is of both
  /// parts.
  RS_DEVICE std::uint32_t header_length() const { return header_length_; }
  /// The bytes after those; 0: all of the packet is at data(), and payload() has nothing of it.
  RS_DEVICE std::uint32_t payload_length() const { return length() - header_length_; }
  RS_DEVICE std::uint8_t* payload() const {
    return reinterpret_cast<std::uint8_t*>(payload_iova() +
                                           static_cast<std::uint64_t>(payload_view_offset_));
  }
  RS_DEVICE std::uint64_t payload_iova() const { return *payload_iova_; }

 private:
  std::uint32_t header_length_;
  const std::uint64_t* payload_iova_;
  std::int64_t payload_view_offset_;
};

}  // namespace ringside
