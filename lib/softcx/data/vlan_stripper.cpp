// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/vlan_stripper.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace softcx {
namespace {

constexpr std::uint32_t kAddresses = 12, kTag = 4;

/// The frame's beginning, where it has a tag.
std::optional<std::array<std::uint8_t, kAddresses + kTag>> tagged_head(
    const Frame& frame) noexcept {
  std::array<std::uint8_t, kAddresses + kTag> head{};
  const bool cut = copy_front(frame, head.data(), head.size()) < head.size();
  if (cut || head[12] != 0x81 || head[13] != 0x00) return std::nullopt;
  return head;
}

}  // namespace

std::uint32_t VlanStripper::length_without_tag(const Frame& frame) noexcept {
  return tagged_head(frame) ? frame.length - kTag : frame.length;
}

Frame VlanStripper::strip(const Frame& frame, bool& stripped, std::uint16_t& tci) noexcept {
  const auto head = tagged_head(frame);
  if (!head) return frame;
  tci = static_cast<std::uint16_t>((*head)[14] << 8 | (*head)[15]);
  stripped = true;
  stripped_.clear();
  std::uint32_t at = 0;  // offset of the segment in the frame
  for (const Segment& segment : frame.segments) {
    const std::uint32_t end = at + segment.length;
    if (at < kAddresses) stripped_.add(segment.data, std::min(segment.length, kAddresses - at));
    if (end > kAddresses + kTag) {
      const std::uint32_t from = std::max(at, kAddresses + kTag);
      stripped_.add(segment.data + (from - at), end - from);
    }
    at = end;
  }
  Frame without_tag = stripped_.frame();
  without_tag.left_ns = frame.left_ns;
  return without_tag;
}

}  // namespace softcx
