// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// macswap: sends each packet with source and destination address exchanged. Frames too short for an
// Ethernet header pass untouched.
#pragma once

#include <cstring>

#include "lib/device/program.hpp"

namespace ringside {

struct MacSwap {
  static constexpr std::string_view kName = "macswap";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  RS_DEVICE static Verdict process(const Packet& packet, const ProgramArgs&) {
    if (packet.length() >= kEthernetHeader) {
      std::uint8_t* const frame = packet.data();
      MacAddress destination;
      MacAddress source;
      memcpy(&destination, frame, sizeof(MacAddress));
      memcpy(&source, frame + sizeof(MacAddress), sizeof(MacAddress));
      memcpy(frame, &source, sizeof(MacAddress));
      memcpy(frame + sizeof(MacAddress), &destination, sizeof(MacAddress));
    }
    return Verdict::kSend;
  }
};

}  // namespace ringside
