// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Carries out the Ethernet segment's orders (VLAN insertion, checksums) on a copy of a frame.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/softcx/data/send_wqe.hpp"
#include "lib/softcx/nic/frame.hpp"

namespace softcx {

class FrameEditor {
 public:
  FrameEditor() : bytes_(kLongest + kVlanTag) {}

  /// The edited frame, valid until the next call. A frame of fewer than 14 or more than kLongest
  /// bytes comes back as it is: it is dropped in any case.
  Frame edit(const Frame& frame, const FrameEdits& edits) noexcept;

  static constexpr std::uint32_t kLongest = 65535;

 private:
  static constexpr std::uint32_t kVlanTag = 4;

  std::vector<std::uint8_t> bytes_;
  Segment segment_{};
};

}  // namespace softcx
