// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What only the device itself can say of a NIC, for people and for tools/hw-check. No EAL is
// needed, and nothing of the NIC is changed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside {

/// A value of the JSON object: text, or a number or truth value as JSON writes it.
struct NicFact {
  std::string name;
  std::string value;
  bool is_text;
};

/// Asks the verbs device at the PCI address. Throws Error.
std::vector<NicFact> query_nic(std::string_view pci_address);

std::string as_json(const std::vector<NicFact>& facts);
/// A line a fact.
std::string as_text(const std::vector<NicFact>& facts);

}  // namespace ringside
