// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes the shapes of the benchmarks' chains as a header, as the host writes them for a compiler
// when a pipeline starts.
#include <fmt/core.h>

#include "tests/bench/stages_chains.hpp"

int main() {
  fmt::print(
      "#pragma once\n#include \"kernels/stages/known_chain.hpp\"\n"
      "namespace ringside::stages {{\n");
  for (const int stages : {1, 4, 8}) {
    fmt::print("struct BenchShape{} {{\n{}}};\n", stages, ringside::bench::shape_of(stages));
  }
  fmt::print("}}\n");
}
