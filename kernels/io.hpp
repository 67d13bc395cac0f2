// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// io: sends each packet as it came.
#pragma once

#include "lib/device/program.hpp"

namespace ringside {

struct Io {
  static constexpr std::string_view kName = "io";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  RS_DEVICE static Verdict process(const Packet&, const ProgramArgs&) { return Verdict::kSend; }
};

}  // namespace ringside
