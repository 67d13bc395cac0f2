// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which faults a run has. The launcher checks what the user wrote; the configuration file carries
// the same text, so that the preload library reads it by the same parser.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/softcx/fault/table.hpp"

namespace softcx {

struct FaultOrder {
  const FaultEntry* entry;
  std::optional<std::uint32_t> port;  ///< none: all ports
  std::map<std::string_view, std::uint64_t> values;

  /// Of one of the entry's keys.
  std::uint64_t value(std::string_view key) const { return values.at(key); }
};

class FaultPlan {
 public:
  FaultPlan() = default;
  explicit FaultPlan(std::vector<FaultOrder> orders) : orders_(std::move(orders)) {}

  /// nullptr: the port does not have this fault.
  const FaultOrder* find(FaultKind kind, std::uint32_t port) const noexcept;

 private:
  std::vector<FaultOrder> orders_;
};

/// Reads "NAME[:KEY=VALUE]...[,NAME...]", each text. Throws a usage error that names the part and
/// what would be right: an unknown name, a name given twice for a port, an unknown key, a value out
/// of bounds, a port at or above `ports`.
FaultPlan parse_faults(const std::vector<std::string>& texts, std::uint32_t ports);

}  // namespace softcx
