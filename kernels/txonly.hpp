// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// txonly: sends the frames of lib/device/udp_frame.hpp without end.
#pragma once

#include "lib/device/program.hpp"

namespace ringside {

struct TxOnly {
  static constexpr std::string_view kName = "txonly";
  static constexpr bool kReceives = false;
  static constexpr bool kSends = true;
};

}  // namespace ringside
