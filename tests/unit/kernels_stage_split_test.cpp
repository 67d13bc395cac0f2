// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stages on packets in two parts, each part in memory of exactly its size, so that a sanitizer sees
// a step out of it.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/sample.hpp"
#include "kernels/stages/swap.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace ringside::stages {
namespace {

using frames::Bytes;
using frames::ethernet;
using frames::ipv4;
using frames::ipv6;
using frames::udp;
using frames::operator+;

class SplitFrame {
 public:
  SplitFrame(const Bytes& bytes, std::size_t at)
      : first_(new std::uint8_t[at]), rest_(new std::uint8_t[bytes.size() - at]) {
    std::copy_n(bytes.begin(), at, first_.get());
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), rest_.get());
    view = {first_.get(), static_cast<std::uint32_t>(bytes.size()),     0, 0, {},
            rest_.get(),  static_cast<std::uint32_t>(bytes.size() - at)};
    parse<true>(view, {});
  }
  Bytes bytes() const {
    Bytes joined(view.data, view.data + bytes_at_data(view));
    joined.insert(joined.end(), view.rest, view.rest + view.rest_length);
    return joined;
  }

 private:
  std::unique_ptr<std::uint8_t[]> first_;
  std::unique_ptr<std::uint8_t[]> rest_;

 public:
  PacketView view{};
};

/// Frames with each kind of header, sound ones.
std::vector<Bytes> whole_frames() {
  const Bytes vxlan{8, 0, 0, 0, 0, 0, 1, 0};
  const Bytes inner = ipv6(17, udp(3, 4));
  Bytes gtp{0x34, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0x10, 9, 0};
  frames::put16(gtp, 2, static_cast<std::uint32_t>(8 + inner.size()));
  const Bytes hop{60, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options{6, 0, 0, 0, 0, 0, 0, 0};
  return {
      ethernet(0x0800, ipv4({.protocol = 6}, frames::tcp(1000, 80, 0x12, Bytes(9, 7)))),
      ethernet(0x8100, frames::tag(1, 0x0800, ipv4({.options = Bytes(4)}, udp(1, 2)))),
      ethernet(0x86dd, ipv6(0, hop + options + frames::tcp(1, 2))),
      ethernet(0x0800, ipv4({}, udp(9, 4789, vxlan + frames::udp4(77, 88)))),
      ethernet(0x0800, ipv4({}, udp(9, 2152, gtp + inner))),
      ethernet(0xaefe, Bytes(8)),
      ethernet(0x0806, Bytes(28)),
      ethernet(0x0800, ipv4({.protocol = 1}, {8, 0, 0, 0, 0, 1, 0, 1})),
  };
}

void expect_in_first_part(const Layers& split, const Layers& whole, std::size_t at) {
  EXPECT_EQ(split.items & ~whole.items, 0) << "a header that the packet has not";
  EXPECT_LE(split.payload, split.end);
  EXPECT_LE(split.end, at);
  EXPECT_TRUE(split.l3 == L3::kNone || split.l3_offset == whole.l3_offset);
  EXPECT_TRUE(split.l4 == L4::kNone || split.l4_offset == whole.l4_offset);
}

TEST(StagesSplit, headers_are_named_that_lie_in_the_first_part_and_missing_ones_are_noted) {
  for (const Bytes& frame : whole_frames()) {
    PacketView whole{const_cast<std::uint8_t*>(frame.data()),
                     static_cast<std::uint32_t>(frame.size()),
                     0,
                     0,
                     {}};
    parse(whole, {});
    ASSERT_FALSE(whole.headers.malformed);
    for (std::size_t at = 0; at <= frame.size(); ++at) {
      const SplitFrame split(frame, at);
      const Headers& headers = split.view.headers;
      expect_in_first_part(headers.outer, whole.headers.outer, at);
      expect_in_first_part(headers.inner, whole.headers.inner, at);
      EXPECT_FALSE(headers.malformed) << "split at " << at << ", the packet is sound";
      const bool all = headers.outer.items == whole.headers.outer.items &&
                       headers.inner.items == whole.headers.inner.items;
      EXPECT_EQ(headers.beyond, !all) << "split at " << at;
    }
  }
}

TEST(StagesSplit, a_length_that_the_packet_has_not_is_malformed_wherever_it_ends) {
  Bytes frame = ethernet(0x0800, ipv4({}, udp(1, 2, Bytes(100))));
  frame.pop_back();
  EXPECT_TRUE(SplitFrame(frame, 64).view.headers.malformed);
  Bytes long_udp = ethernet(0x0800, ipv4({}, udp(1, 2, Bytes(100))));
  long_udp[14 + 20 + 5] = 200;
  EXPECT_TRUE(SplitFrame(long_udp, 64).view.headers.malformed);
}

TEST(StagesSplit, nothing_is_read_or_written_outside_the_parts) {
  for (const Bytes& frame : whole_frames()) {
    for (std::size_t at = 0; at <= frame.size(); ++at) {
      SplitFrame split(frame, at);
      PacketView& view = split.view;
      for (int f = 0; f <= static_cast<int>(Field::kMetaLength); ++f) {
        const auto field = static_cast<Field>(f);
        FieldValue value{};
        load_field(view, field, true, value);
        if (load_field(view, field, false, value)) write_field(view, field, value);
      }
      run_swap(view, {true, true, true});
      run_swap(view, {true, true, true});
      flow_hash(view, HashOver::kFiveTuple, true);
      EXPECT_EQ(split.bytes(), frame) << "what was written is what was there";
      run_icmp_echo(view, {true, 0, {}}, {});
      EXPECT_EQ(split.bytes().size(), frame.size());
    }
  }
}

TEST(StagesSplit, a_rewritten_header_has_a_checksum_over_the_part_that_is_elsewhere_too) {
  const Bytes l4 = frames::with_checksum(udp(7, 8, Bytes(301, 0x5a)), 17, "10.0.0.1", "10.0.0.2");
  SplitFrame split(ethernet(0x0800, ipv4({}, l4)), 64);
  ASSERT_TRUE(write_field(split.view, Field::kIpv4Dst, {0, 0xc0000207}));
  ASSERT_TRUE(write_field(split.view, Field::kUdpDst, {0, 99}));
  const Bytes after = split.bytes();
  const Bytes datagram(after.begin() + 34, after.end());
  Bytes pseudo(after.begin() + 26, after.begin() + 34);
  Bytes tail(4);
  frames::put16(tail, 0, static_cast<std::uint32_t>(datagram.size()));
  frames::put16(tail, 2, 17);
  EXPECT_EQ(frames::internet_checksum(pseudo + tail + datagram), 0);
}

TEST(StagesSplit, a_sample_has_the_bytes_of_both_parts) {
  const Bytes frame = ethernet(0x0800, ipv4({}, udp(7, 8, Bytes(100, 3)))) + Bytes{1, 2, 3, 4, 5};
  constexpr std::uint32_t kSlot = 256;
  for (const std::size_t at : {64U, 65U, 72U}) {
    for (const std::uint32_t snaplen : {20U, 64U, 70U, 500U}) {
      const SplitFrame split(frame, at);
      alignas(16) std::array<std::uint8_t, kSlot> slots{};
      SampleRingWords words{};
      SampleRingState state{};
      ASSERT_EQ(run_sample(split.view, {1, snaplen, 0}, nullptr, {&words, slots.data(), kSlot, 0},
                           state, 0, 0),
                Sampled::kYes);
      const std::size_t kept = std::min<std::size_t>(snaplen, frame.size());
      EXPECT_EQ(reinterpret_cast<const SampleHeader*>(slots.data())->captured, kept);
      const std::uint8_t* const copied = slots.data() + sizeof(SampleHeader);
      EXPECT_EQ(Bytes(copied, copied + kept),
                Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(kept)));
    }
  }
}

}  // namespace
}  // namespace ringside::stages
