// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packet programs on bursts that the CPU hands over (lib/device/burst.hpp).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/device/udp_frame.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

using KernelsBurst = BlockSizes;
RS_FOR_BLOCK_SIZES(KernelsBurst);

constexpr std::uint32_t kCapacity = 48;
constexpr std::uint32_t kFrame = 64;
constexpr std::uint8_t kUntouched = 0xee;

/// A place with frames of its own, each filled with its number.
struct Place {
  explicit Place(std::uint32_t count) {
    std::memset(verdicts.data(), kUntouched, sizeof verdicts);
    for (std::uint32_t i = 0; i < kCapacity; ++i) {
      frames[i].fill(static_cast<std::uint8_t>(i));
      frames[i][6] = 0x99;
      if (i < count) packets[i] = {reinterpret_cast<std::uintptr_t>(frames[i].data()), kFrame};
    }
  }

  BurstArgs args() {
    return {.packets = packets.data(),
            .infos = infos.data(),
            .verdicts = verdicts.data(),
            .state = &state,
            .capacity = kCapacity,
            .view_offset = 0,
            .program = {.source = {{1, 1, 1, 1, 1, 1}},
                        .destination = {{2, 2, 2, 2, 2, 2}},
                        .packet_length = kFrame,
                        .own = nullptr}};
  }
  bool done() {
    return std::atomic_ref(state).load(std::memory_order_acquire) == BurstState::kDone;
  }
  std::uint32_t touched() const {
    std::uint32_t count = 0;
    for (const Verdict verdict : verdicts) {
      count += static_cast<std::uint8_t>(verdict) != kUntouched;
    }
    return count;
  }

  std::array<std::array<std::uint8_t, kFrame>, kCapacity> frames;
  std::array<BurstPacket, kCapacity> packets{};
  std::array<BurstPacketInfo, kCapacity> infos{};
  std::array<Verdict, kCapacity> verdicts;
  BurstState state = BurstState::kReady;
};

void run(std::string_view kernel, Place& place, std::uint32_t threads) {
  const BurstArgs args = place.args();
  run_block(threads, [&](HostBlock& block) { find_host_kernel(kernel)->run_burst(block, args); });
}

TEST_P(KernelsBurst, all_packets_up_to_the_first_without_an_address_are_processed) {
  for (const std::uint32_t count : {0U, 1U, 31U, 33U, kCapacity}) {
    Place place(count);
    run("macswap", place, GetParam());
    EXPECT_TRUE(place.done());
    EXPECT_EQ(place.touched(), count);
    for (std::uint32_t i = 0; i < kCapacity; ++i) {
      // The byte that macswap brings to the front from the source address.
      EXPECT_EQ(place.frames[i][0] == 0x99, i < count) << i;
      EXPECT_EQ(place.verdicts[i] == Verdict::kSend, i < count) << i;
    }
  }
}

// 32 threads and more work on a packet as a team, which is what a GPU always has.
TEST(KernelsBurstTeams, invert_by_teams_inverts_each_packet_of_a_burst_once) {
  using Frame = std::array<std::uint8_t, 2176>;
  for (const std::uint32_t threads : {32U, 64U}) {
    for (const std::uint32_t length : {13U, 14U, 47U, 512U, 1500U, 2100U}) {
      for (const std::size_t at : {0U, 3U}) {  // of a frame in its buffer: a unit's start, or not
        Place place(3);
        std::vector<Frame> frames(3);
        for (std::uint32_t i = 0; i < 3; ++i) {
          for (std::size_t k = 0; k < frames[i].size(); ++k) {
            frames[i][k] = static_cast<std::uint8_t>(k + i);
          }
          place.packets[i] = {reinterpret_cast<std::uintptr_t>(frames[i].data() + at), length};
        }
        run("invert", place, threads);
        for (std::uint32_t i = 0; i < 3; ++i) {
          for (std::size_t k = 0; k < frames[i].size(); ++k) {
            const bool in_frame = k >= at && k < at + length && length >= 14;
            const std::size_t byte = k - at;
            std::size_t from = k + i;
            if (in_frame && byte < 12) from = byte < 6 ? from + 6 : from - 6;
            const auto held = static_cast<std::uint8_t>(from);
            const bool inverts = in_frame && byte >= 14;
            ASSERT_EQ(frames[i][k], inverts ? static_cast<std::uint8_t>(~held) : held)
                << threads << " threads, " << length << " bytes at " << at << ": packet " << i
                << ", byte " << byte;
          }
        }
      }
    }
  }
}

TEST_P(KernelsBurst, packets_are_where_kernels_see_them) {
  Place place(3);
  constexpr std::int64_t kOffset = 0x10000;
  for (BurstPacket& packet : place.packets) {
    if (packet.address != 0) packet.address -= kOffset;
  }
  BurstArgs args = place.args();
  args.view_offset = kOffset;
  run_block(GetParam(), [&](HostBlock& block) { find_host_kernel("mac")->run_burst(block, args); });
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(place.frames[i][0], 2) << i;
    EXPECT_EQ(place.frames[i][6], 1) << i;
  }
}

TEST_P(KernelsBurst, rxonly_consumes) {
  Place place(5);
  run("rxonly", place, GetParam());
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(place.verdicts[i], Verdict::kConsume);
}

TEST_P(KernelsBurst, txonly_writes_its_frame_into_each_packet) {
  Place place(5);
  run("txonly", place, GetParam());
  std::array<std::uint8_t, kFrame> expected{};
  write_udp_frame(expected.data(), place.args().program);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(place.frames[i], expected) << i;
    EXPECT_EQ(place.verdicts[i], Verdict::kSend);
  }
  EXPECT_NE(place.frames[5], expected);
}

/// Drops what the NIC did not mark 7, hash to 9, find good checksums in and strip tag 5 of.
struct Picky {
  static constexpr std::string_view kName = "picky";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static Verdict process(const Packet& packet, const ProgramArgs&) {
    const bool wanted =
        packet.has_flow_mark() && packet.flow_mark() == 7 && packet.has_rss_hash() &&
        packet.rss_hash() == 9 && packet.l3_checksum_ok() && packet.l4_checksum_ok() &&
        packet.vlan_stripped() && packet.vlan_tci() == 5 && packet.length() == kFrame;
    return wanted ? Verdict::kSend : Verdict::kDrop;
  }
};

TEST_P(KernelsBurst, programs_see_what_the_nic_found_out) {
  constexpr BurstPacketInfo kWanted{.rss_hash = 9,
                                    .flow_tag = 8,
                                    .vlan_tci = 5,
                                    .rss_hash_valid = 1,
                                    .header_flags = kCqeL3Ok | kCqeL4Ok,
                                    .header_types = kCqeVlanStripped};
  Place place(7);
  place.infos.fill(kWanted);
  place.infos[1].flow_tag = 0;
  place.infos[2].rss_hash_valid = 0;
  place.infos[3].header_flags = kCqeL3Ok;
  place.infos[4].header_types = 0;
  place.infos[5].rss_hash = 8;
  const BurstArgs args = place.args();
  run_block(GetParam(), [&](HostBlock& block) { run_burst<Picky>(block, args); });
  for (std::uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(place.verdicts[i], i == 0 || i == 6 ? Verdict::kSend : Verdict::kDrop) << i;
  }
}

TEST_P(KernelsBurst, a_lane_serves_its_places_in_turn_until_its_exit_word) {
  std::array<Place, 2> places{Place(4), Place(4)};
  std::uint32_t exit = 0;
  BurstLaneArgs lane{.places = {}, .count = 2, .exit = &exit};
  for (std::size_t i = 0; i < 2; ++i) {
    places[i].state = BurstState::kFree;
    lane.places[i] = places[i].args();
  }
  const auto set = [](Place& place, BurstState state) {
    std::atomic_ref(place.state).store(state, std::memory_order_release);
  };
  const HostKernel* kernel = find_host_kernel("macswap");
  std::jthread block(
      [&] { run_block(GetParam(), [&](HostBlock& view) { kernel->serve_bursts(view, lane); }); });
  set(places[1], BurstState::kReady);  // not its turn
  const Deadline soon = Deadline::after_ms(5);
  while (!soon.passed()) sched_yield();
  EXPECT_FALSE(places[1].done());
  set(places[0], BurstState::kReady);
  EXPECT_TRUE(wait_until([&] { return places[0].done() && places[1].done(); }));
  set(places[0], BurstState::kReady);
  EXPECT_TRUE(wait_until([&] { return places[0].done(); }));
  EXPECT_EQ(places[0].frames[0][0], 0);  // twice there and back
  __atomic_store_n(&exit, 1U, __ATOMIC_RELAXED);
}

}  // namespace
}  // namespace ringside::test
