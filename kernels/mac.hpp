// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// mac: sends each packet with the sending port's address as source and the peer's as destination.
// Frames too short for an Ethernet header pass untouched.
#pragma once

#include <cstring>

#include "lib/device/program.hpp"

namespace ringside {

struct Mac {
  static constexpr std::string_view kName = "mac";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  RS_DEVICE static Verdict process(const Packet& packet, const ProgramArgs& args) {
    if (packet.length() >= kEthernetHeader) {
      std::uint8_t* const frame = packet.data();
      memcpy(frame, args.destination.bytes, sizeof(MacAddress));
      memcpy(frame + sizeof(MacAddress), args.source.bytes, sizeof(MacAddress));
    }
    return Verdict::kSend;
  }
};

}  // namespace ringside
