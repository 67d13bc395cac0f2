// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A YAML document as a tree that knows where everything stood. Aliases are written out, within
// bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/pipeline/problems.hpp"

namespace ringside::pipeline {

struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  Mark mark;
  std::string scalar;
  std::vector<Node> items;  ///< of a map: key, value, key, value, ...

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_map() const { return kind == Kind::kMap; }
};

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxNodes = 100'000;
inline constexpr std::size_t kMaxDepth = 32;

/// How a value is named in an error: its text in quotes, or "a list", "a map", "no value".
std::string shown(const Node& node);

/// The single document of `text`. On a syntax error: a null node, and the error in `problems`.
Node parse_yaml(std::string_view text, Problems& problems);

}  // namespace ringside::pipeline
