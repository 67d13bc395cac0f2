// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/line_rate.hpp"

#include <charconv>

#include "lib/base/error.hpp"

namespace softcx {

std::uint64_t parse_line_rate(std::string_view text) {
  constexpr std::uint64_t kMega = 1'000'000, kGiga = 1'000'000'000, kMost = 800 * kGiga;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && unit + 1 == end && (*unit == 'G' || *unit == 'M')) {
    const std::uint64_t scale = *unit == 'G' ? kGiga : kMega;
    if (value != 0 && value <= kMost / scale) return value * scale;
  }
  throw ringside::usage_error(fmt::format("--line-rate={} is no rate", text),
                              "give a number of Gb/s or Mb/s, from 1M to 800G");
}

}  // namespace softcx
