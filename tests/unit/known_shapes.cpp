// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes the shapes of known_chains.hpp as a header.
#include <fmt/core.h>

#include "lib/pipeline/chain_source.hpp"
#include "tests/unit/known_chains.hpp"

int main() {
  fmt::print(
      "#pragma once\n#include \"kernels/stages/known_chain.hpp\"\n"
      "namespace ringside::stages {{\n");
  for (int i = 1; i <= ringside::test::kKnownChains; ++i) {
    fmt::print("struct Shape{} {{\n{}}};\n", i,
               ringside::pipeline::shape_members(ringside::test::known_chain(i)));
  }
  fmt::print("}}\n");
}
