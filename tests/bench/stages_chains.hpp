// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The chains of the benchmarks of stages, as the host lays them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::bench {

struct BenchChain {
  std::vector<std::uint64_t> words;
  std::uint32_t stages;
  std::size_t backends_at;  ///< offset of the stage load_balance's parameters; 0: it has none
};

/// Of 1, 4 or 8 stages: those of stages_workload.hpp. Of the shape that a kernel knows as number 1.
BenchChain chain_of(int stages);
/// That shape, as the members of a struct (lib/pipeline/chain_source.hpp).
std::string shape_of(int stages);

/// A table of so many five-tuples 10.x.x.x:y -> 10.0.0.1:53 over UDP, as parameters of Op::kTable.
std::vector<std::uint64_t> table_of(std::uint32_t entries);

}  // namespace ringside::bench
