// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Numbers as people write them: 4096, 0x1000, 4KiB, 2.5Gbps, 100us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::pipeline {

/// What a number counts. The value without a suffix is in the first of the unit's suffixes.
enum class Unit : std::uint8_t {
  kNone,          ///< no suffix
  kBytes,         ///< B, kB, MB, GB, KiB, MiB, GiB
  kMicroseconds,  ///< us, ms, s
  kMilliseconds,  ///< ms, s
  kBitRate,       ///< bps, kbps, Mbps, Gbps, Tbps
  kPacketRate,    ///< pps, kpps, Mpps, Gpps
};

/// None for what is no whole number of the unit, or does not fit. A fraction is allowed before a
/// suffix that makes it whole.
std::optional<std::uint64_t> parse_quantity(std::string_view text, Unit unit);
/// A plain number that begins with a 0: octal to readers of YAML 1.1, decimal to those of 1.2.
bool is_ambiguous(std::string_view text);
/// How to write a number that is written as in other languages: "; write it without _", empty for
/// others.
std::string number_hint(std::string_view text);
/// With the largest suffix that keeps it whole, or none where people write none (kNone, kBytes,
/// kMicroseconds); parse_quantity() makes the same of it.
std::string quantity_text(std::uint64_t value, Unit unit);
/// "B, kB, ...", empty for kNone.
std::string suffixes_of(Unit unit);
/// A regular expression of what parse_quantity() takes.
std::string quantity_pattern(Unit unit);

}  // namespace ringside::pipeline
