// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The faults that `softcx run --fault` knows: one table, from which names are read, help is printed
// and values are checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace softcx {

enum class FaultKind : std::uint8_t {
  kNoDmabuf,
  kNoPeermem,
  kIomemDenied,
  kNoBlueFlame,
  kNoVlanInsert,
  kMinInline,
  kBond,
  kBadMkey,
  kMtu,
  kVfUntrusted,
  kLinkDelay,
  kLinkDown,
  kStalledWire,
  kStalledNic,
  kTxError,
  kRxError,
  kCqOverrun,
};

/// What NAME:KEY=VALUE takes. Values are whole numbers.
struct FaultKey {
  std::string_view name;
  std::uint64_t fallback;
  std::uint64_t least;
  std::uint64_t most;
  std::string_view meaning;
};

struct FaultEntry {
  FaultKind kind;
  std::string_view name;
  std::span<const FaultKey> keys;  ///< besides kPortKey, which all take
  std::string_view effect;         ///< one line
  /// What to use in its place, where the fault lies above softcx; else empty.
  std::string_view elsewhere = {};
};

inline constexpr std::string_view kPortKey = "port";

std::span<const FaultEntry> fault_table() noexcept;

/// The table as --help shows it.
std::string fault_help();

}  // namespace softcx
