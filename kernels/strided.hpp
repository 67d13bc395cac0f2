// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// strided_<program>: a packet program as it is, for striding receive queues.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/device/program.hpp"

namespace ringside {

/// "strided_", and the program's name behind it.
template <Program P>
struct StridedName {
  static constexpr std::string_view kPrefix = "strided_";
  static constexpr std::size_t kLength = kPrefix.size() + P::kName.size();

  constexpr StridedName() {
    for (std::size_t i = 0; i < kLength; ++i) {
      text[i] = i < kPrefix.size() ? kPrefix[i] : P::kName[i - kPrefix.size()];
    }
  }
  char text[kLength] = {};
};
template <Program P>
inline constexpr StridedName<P> kStridedName;

template <Program P>
struct Strided : P {
  static constexpr std::string_view kName{kStridedName<P>.text, StridedName<P>::kLength};
  static constexpr bool kStrides = true;
};

}  // namespace ringside
