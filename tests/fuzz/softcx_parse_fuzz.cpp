// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet parser on arbitrary bytes: no read behind the headers, no checksum range behind the
// frame. Input: how much of the frame lies behind the headers (1 byte, in units of 8), the headers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "lib/softcx/steering/checksum.hpp"
#include "lib/softcx/steering/parse.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace softcx;
  if (size == 0) return 0;
  const std::span<const std::uint8_t> headers(data + 1, size - 1);
  const auto frame_length = static_cast<std::uint32_t>(headers.size() + 8U * data[0]);

  ParsedPacket packet;
  parse_packet(headers, frame_length, packet);

  const HeaderFacts& facts = packet.facts;
  require(std::uint32_t{facts.l4_offset} + facts.l4_length <= frame_length);
  require(packet.outer.l4 == L4::kNone || packet.outer.l3 != L3::kNone);
  require((packet.key.outer.kinds & LayerKey::kFragment) == 0 || packet.outer.l4 == L4::kNone);
  if (facts.l4_length != 0) {
    // The rest of the frame in a segment of its own, at whatever parity it begins.
    const std::vector<std::uint8_t> rest(frame_length - headers.size());
    const Segment segments[] = {
        {headers.data(), static_cast<std::uint32_t>(headers.size())},
        {rest.data(), static_cast<std::uint32_t>(rest.size())},
    };
    l4_checksum_right({segments, frame_length}, facts);
  }
  return 0;
}
