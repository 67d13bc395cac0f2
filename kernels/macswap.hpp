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
    if (packet.length() >= kEthernetHeader) swap_addresses(packet.data());
    return Verdict::kSend;
  }

 private:
  /// Three words where they can be: over PCIe as on a GPU each load and store has its price.
  RS_DEVICE static void swap_addresses(std::uint8_t* frame) {
    if (reinterpret_cast<std::uintptr_t>(frame) % sizeof(std::uint32_t) != 0) {
      swap_bytes(frame);
      return;
    }
    // Little-endian: the destination is the first word and the low half of the second.
    std::uint32_t words[3];
    void* const at = __builtin_assume_aligned(frame, sizeof(std::uint32_t));
    memcpy(words, at, sizeof(words));
    const std::uint32_t swapped[3] = {words[1] >> 16 | words[2] << 16,
                                      words[2] >> 16 | words[0] << 16,
                                      words[0] >> 16 | words[1] << 16};
    memcpy(at, swapped, sizeof(swapped));
  }

  RS_DEVICE static void swap_bytes(std::uint8_t* frame) {
    MacAddress destination;
    MacAddress source;
    memcpy(&destination, frame, sizeof(MacAddress));
    memcpy(&source, frame + sizeof(MacAddress), sizeof(MacAddress));
    memcpy(frame, &source, sizeof(MacAddress));
    memcpy(frame + sizeof(MacAddress), &destination, sizeof(MacAddress));
  }
};

}  // namespace ringside
