// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside nic-info BDF [--json]`
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "app/subcommand.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/nic_info.hpp"

namespace ringside::app {

int nic_info(std::span<const std::string> arguments) {
  constexpr const char* kUsage = "ringside nic-info BDF [--json]";
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  if (std::erase(words, "--help") + std::erase(words, "-h") != 0) {
    fmt::print("Usage: {}\n\nWhat the mlx5 NIC at a PCI address says of itself.\n", kUsage);
    return 0;
  }
  const bool json = std::erase(words, "--json") != 0;
  if (words.size() != 1 || words[0].starts_with('-')) {
    throw usage_error("nic-info takes one PCI address", kUsage);
  }
  const auto facts = query_nic(words[0]);
  fmt::print("{}", json ? as_json(facts) : as_text(facts));
  return 0;
}

}  // namespace ringside::app
