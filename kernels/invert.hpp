// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// invert: sends each packet with source and destination address exchanged, and every byte behind
// the Ethernet header inverted. So every byte is read and written, as by a program that encrypts,
// and a second pass restores the packet. Frames too short for an Ethernet header pass untouched.
#pragma once

#include <cstring>

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"

namespace ringside {

struct Invert {
  static constexpr std::string_view kName = "invert";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  /// Teams of threads take packets in turn, two at a time. With all of their bytes under way at
  /// once, and neighbours' loads side by side, two over PCIe take little more than a round trip.
  template <Block G, class PacketAt>
  RS_DEVICE static void process_together(G& group, std::uint32_t count, PacketAt packet_at,
                                         const ProgramArgs&) {
    const std::uint32_t threads = group.size() % kTeam == 0 ? kTeam : 1;
    const std::uint32_t teams = group.size() / threads;
    const std::uint32_t lane = group.rank() % threads;
    for (std::uint32_t i = group.rank() / threads; i < count; i += 2 * teams) {
      Share first(packet_at(i), lane, threads);
      Share second(i + teams < count ? packet_at(i + teams) : Packet::none(), lane, threads);
      first.finish();
      second.finish();
    }
  }

  RS_DEVICE static Verdict process(const Packet&, const ProgramArgs&) { return Verdict::kSend; }

 private:
  static constexpr std::uint32_t kTeam = 32;
  static constexpr std::uint32_t kAtOnce = 3;  ///< units of a thread: of a team's, 1536 bytes
  static constexpr std::uint32_t kAddress = sizeof(MacAddress);
  struct alignas(16) Unit {
    std::uint64_t low;
    std::uint64_t high;
  };
  static constexpr std::uint32_t kUnit = sizeof(Unit);
  static constexpr std::uint32_t kWord = sizeof(std::uint32_t);
  static constexpr std::uint32_t kLine = 128;  ///< of a GPU's cache
  static constexpr std::uint32_t kLineUnits = kLine / kUnit;

  /// A thread's part of a packet. Units as far as whole lines go, then words and at last bytes, so
  /// that no line is asked for twice; bytes alone where a frame is short or begins at no unit.
  class Share {
   public:
    /// Begins to load.
    RS_DEVICE Share(const Packet& packet, std::uint32_t lane, std::uint32_t threads)
        : frame_(packet.data()),
          length_(packet.length() < kEthernetHeader ? 0 : packet.length()),
          units_(reinterpret_cast<std::uintptr_t>(frame_) % kUnit == 0
                     ? length_ / kLine * kLineUnits
                     : 0),
          words_(units_ > 0 ? length_ / kWord : 0),
          lane_(lane),
          threads_(threads) {
      load(lane_);
      if (first_word() < words_) memcpy(&word_, word(first_word()), kWord);
    }

    RS_DEVICE void finish() {
      store(lane_);
      for (std::uint32_t at = lane_ + kAtOnce * threads_; at < units_; at += kAtOnce * threads_) {
        load(at);
        store(at);
      }
      for (std::uint32_t at = first_word(); at < words_; at += threads_) {
        if (at != first_word()) memcpy(&word_, word(at), kWord);
        word_ = ~word_;
        memcpy(word(at), &word_, kWord);
      }
      for (std::uint32_t at = words_ * kWord + lane_; at < length_; at += threads_) {
        if (takes(at)) change(at);
      }
    }

   private:
    RS_DEVICE std::uint32_t first_word() const { return units_ * (kUnit / kWord) + lane_; }
    /// Is byte `at` this thread's? Whoever has the destination address's has the source address's
    /// too.
    RS_DEVICE static bool takes(std::uint32_t at) { return at < kAddress || at >= kEthernetHeader; }

    RS_DEVICE void load(std::uint32_t first) {
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t at = first + k * threads_;
        if (at < units_) memcpy(&held_[k], unit(at), kUnit);
      }
    }
    RS_DEVICE void store(std::uint32_t first) {
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        const std::uint32_t at = first + k * threads_;
        if (at >= units_) break;
        const Unit out = at == 0 ? header(held_[k]) : Unit{~held_[k].low, ~held_[k].high};
        memcpy(unit(at), &out, kUnit);
      }
    }
    RS_DEVICE void* unit(std::uint32_t at) const {
      return __builtin_assume_aligned(frame_ + std::size_t{at} * kUnit, kUnit);
    }
    RS_DEVICE void* word(std::uint32_t at) const {
      return __builtin_assume_aligned(frame_ + std::size_t{at} * kWord, kWord);
    }

    /// Bytes 0 to 15 as they lie in little-endian words: the addresses are 0 to 5 and 6 to 11.
    RS_DEVICE static Unit header(const Unit& unit) {
      constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;
      constexpr std::uint64_t kTypeMask = std::uint64_t{0xffff} << 32;
      constexpr std::uint64_t kBehindMask = std::uint64_t{0xffff} << 48;
      const std::uint64_t destination = unit.low & kAddressMask;
      const std::uint64_t source = unit.low >> 48 | (unit.high & 0xffffffffU) << 16;
      return {source | destination << 48,
              destination >> 16 | (unit.high & kTypeMask) | (~unit.high & kBehindMask)};
    }

    RS_DEVICE void change(std::uint32_t at) {
      const std::uint8_t held = frame_[at];
      if (at < kAddress) {
        frame_[at] = frame_[at + kAddress];
        frame_[at + kAddress] = held;
      } else {
        frame_[at] = static_cast<std::uint8_t>(~held);
      }
    }

    std::uint8_t* const frame_;
    const std::uint32_t length_;
    const std::uint32_t units_;
    const std::uint32_t words_;  // of the frame, those in units too; 0: bytes alone
    const std::uint32_t lane_;
    const std::uint32_t threads_;
    Unit held_[kAtOnce] = {};
    std::uint32_t word_ = 0;
  };
};

}  // namespace ringside
