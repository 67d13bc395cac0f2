// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What went wrong in this process, counted: rules that a user of the NIC broke, and other things
// that hardware would have turned into silent corruption. Callable from any thread. Not for the
// way of every packet: nothing here is called before something is wrong.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/softcx/rules/table.hpp"

namespace softcx {

class Device;

/// `softcx run --sanitize`. Set before the engines start. Data paths ask it only where a check has
/// a cost of its own.
inline std::atomic<bool> g_sanitizing{false};
inline bool sanitizing() noexcept {
  return g_sanitizing.load(std::memory_order_relaxed);
}

/// "mlx5_0: send queue 0x104", as reports name an object.
std::string object_name(const Device& device, std::string_view kind, std::uint32_t number);

/// `object` broke a rule, `how`: in words, with its values, of which those of the first time are
/// kept. Where the NIC answers by itself (RuleEntry::answer) only `--sanitize` listens. Prints the
/// first one of an object on stderr.
void report_broken(RuleId rule, const std::string& object, const std::string& how);

/// What no rule is about. `what` names the object and the kind; `details` are those of its first
/// time, which is printed on stderr; further ones are counted. Beyond kMostViolations different
/// ones all others are one line.
inline constexpr std::size_t kMostViolations = 256;
void report_violation(const std::string& what, const std::string& details = {});

struct Violation {
  const RuleEntry* rule;  ///< nullptr: no rule is about it
  std::string object;     ///< that broke the rule
  std::string text;       ///< of its first time
  std::uint64_t times;
};
/// In the order of their first times.
std::vector<Violation> all_violations();
/// A line each, with its count where that is not 1.
std::vector<std::string> violations();

}  // namespace softcx
