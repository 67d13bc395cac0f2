// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// rxonly: counts packets and lets them go.
#pragma once

#include "lib/device/program.hpp"

namespace ringside {

struct RxOnly {
  static constexpr std::string_view kName = "rxonly";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = false;

  RS_DEVICE static Verdict process(const Packet&, const ProgramArgs&) { return Verdict::kConsume; }
};

}  // namespace ringside
