// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// macswap: sends each packet with source and destination address exchanged. Frames too short for an
// Ethernet header pass untouched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/device/program.hpp"

namespace ringside {

struct MacSwap {
  static constexpr std::string_view kName = "macswap";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  RS_DEVICE static Verdict process(const Packet& packet, const ProgramArgs&) {
    if (packet.length() >= kEthernetHeader) swap_addresses(packet);
    return Verdict::kSend;
  }

 private:
  /// Over PCIe as on a GPU each load and store has its price: one of each where the frame is
  /// aligned to it, with the four bytes behind the addresses written as they were.
  RS_DEVICE static void swap_addresses(const Packet& packet) {
    std::uint8_t* const frame = packet.data();
    const auto address = reinterpret_cast<std::uintptr_t>(frame);
    if (address % kWide == 0 && packet.length() >= kWide) {
      swap_words<kWide>(frame);
    } else if (address % sizeof(std::uint32_t) == 0) {
      swap_words<kAddresses>(frame);
    } else {
      swap_bytes(frame);
    }
  }

  static constexpr std::size_t kWide = 16;
  static constexpr std::size_t kAddresses = 12;

  template <std::size_t kBytes>
  RS_DEVICE static void swap_words(std::uint8_t* frame) {
    // Little-endian: the destination is the first word and the low half of the second.
    std::uint32_t words[kBytes / sizeof(std::uint32_t)];
    void* const at = __builtin_assume_aligned(frame, kBytes == kWide ? kWide : sizeof(words[0]));
    memcpy(words, at, kBytes);
    const std::uint32_t low = words[0];
    const std::uint32_t middle = words[1];
    const std::uint32_t high = words[2];
    words[0] = middle >> 16 | high << 16;
    words[1] = high >> 16 | low << 16;
    words[2] = low >> 16 | middle << 16;
    memcpy(at, words, kBytes);
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
