// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/clock_option.hpp"

#include <charconv>

#include "lib/base/error.hpp"

namespace softcx {

ClockOption parse_clock(std::string_view text) {
  constexpr std::uint32_t kMost = 4'000'000;
  ClockOption option;
  if (text == "real-time") {
    option.real_time = true;
    return option;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, option.khz);
  if (error == std::errc{} && stop == end && option.khz != 0 && option.khz <= kMost) return option;
  throw ringside::usage_error(
      fmt::format("--clock={} is no clock", text),
      fmt::format("give real-time, or the counter's frequency in kHz, from 1 to {}", kMost));
}

}  // namespace softcx
