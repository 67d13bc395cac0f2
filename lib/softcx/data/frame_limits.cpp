// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/frame_limits.hpp"

#include <array>

#include "lib/softcx/data/frame_builder.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kTypeOffset = 12, kVlanTag = 4, kMaxTags = 2;

bool is_vlan(std::uint8_t high, std::uint8_t low) {
  return (high == 0x81 && low == 0x00) || (high == 0x88 && low == 0xa8);
}

}  // namespace

bool passes_tagged_limit(const Frame& frame, std::uint32_t mtu) noexcept {
  std::uint32_t limit = mtu + kEthernetHeader;
  if (frame.length > limit + kMaxTags * kVlanTag) return true;
  std::array<std::uint8_t, kEthernetHeader + kMaxTags * kVlanTag> head{};
  copy_front(frame, head.data(), head.size());
  for (std::uint32_t at = kTypeOffset; at < kTypeOffset + kMaxTags * kVlanTag; at += kVlanTag) {
    if (!is_vlan(head[at], head[at + 1])) break;
    limit += kVlanTag;
  }
  return frame.length > limit;
}

}  // namespace softcx
