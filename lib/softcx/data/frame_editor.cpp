// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/frame_editor.hpp"

#include <cstring>

#include "lib/softcx/data/frame_limits.hpp"
#include "lib/softcx/wire/internet_checksum.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kAddresses = 12;  // destination and source MAC, before the tag

void write_checksums(std::span<std::uint8_t> frame, std::uint8_t wanted) noexcept {
  if ((wanted & ringside::kCsInnerL4) != 0) write_l4_checksum(frame, Headers::kInner);
  if ((wanted & ringside::kCsInnerL3) != 0) write_ipv4_checksum(frame, Headers::kInner);
  if ((wanted & ringside::kCsL4) != 0) write_l4_checksum(frame);
  if ((wanted & ringside::kCsL3) != 0) write_ipv4_checksum(frame);
}

}  // namespace

Frame FrameEditor::edit(const Frame& frame, const FrameEdits& edits) noexcept {
  if (frame.length < kEthernetHeader || frame.length > kLongest) return frame;
  std::uint32_t length = copy_front(frame, bytes_.data(), frame.length);
  if (edits.insert_vlan) {
    std::uint8_t* tag = bytes_.data() + kAddresses;
    std::memmove(tag + kVlanTag, tag, length - kAddresses);
    tag[0] = 0x81;
    tag[1] = 0x00;
    tag[2] = static_cast<std::uint8_t>(edits.vlan_tci >> 8);
    tag[3] = static_cast<std::uint8_t>(edits.vlan_tci);
    length += kVlanTag;
  }
  const std::span<std::uint8_t> bytes(bytes_.data(), length);
  write_checksums(bytes, edits.checksums);
  segment_ = {bytes_.data(), length};
  return {{&segment_, 1}, length, frame.left_ns};
}

}  // namespace softcx
