// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// VLAN stripping of receive queues (RQ context, vsd = 0): the outer tag goes into the CQE.
#pragma once

#include <cstdint>

#include "lib/softcx/data/frame_builder.hpp"

namespace softcx {

class VlanStripper {
 public:
  /// The length that is left of a frame.
  static std::uint32_t length_without_tag(const Frame& frame) noexcept;
  /// The frame without its outer 802.1Q tag, valid while the stripper and `frame` are; then
  /// `stripped` is set and the tag's control information is in `tci`. A frame without a tag comes
  /// back as it is.
  Frame strip(const Frame& frame, bool& stripped, std::uint16_t& tci) noexcept;

 private:
  FrameBuilder stripped_;
};

}  // namespace softcx
