// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every testpmd option in one place: its name, its help and what it sets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/cli/options.hpp"

namespace ringside::cli {

/// An option's value as typed, with the checks that make one-sentence errors.
struct OptionValue {
  std::string_view option;  ///< without the dashes
  std::string_view text;

  std::uint64_t number(std::uint64_t min, std::uint64_t max) const;
  /// Index of the choice.
  std::size_t one_of(std::span<const std::string_view> choices) const;
};

struct OptionSpec {
  std::string_view name;   ///< without the dashes
  char letter;             ///< 0: none
  std::string_view value;  ///< what stands for the value in the help; empty: takes none
  std::string_view help;
  void (*apply)(TestpmdOptions& options, const OptionValue& value);
};

std::span<const OptionSpec> option_table();

/// True for an option that belongs to EAL ("--vdev", "-l"): it comes before `--`.
bool is_eal_option(std::string_view argument);

}  // namespace ringside::cli
