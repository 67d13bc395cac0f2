// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Names in a pipeline file that stand for something else in it. load() fills in the indices.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::pipeline {

/// Of a name that stands for nothing; only in a file with errors.
inline constexpr std::uint16_t kUnresolved = 0xffff;

/// Of a memory region, a table or an interface in the file, or of a receive queue in its interface.
struct Reference {
  std::string name;
  std::uint16_t index = kUnresolved;
  bool operator==(const Reference&) const = default;
};

/// "INTERFACE.QUEUE", as in port0.rx0.
struct QueueReference {
  std::string name;
  std::uint16_t interface = kUnresolved;
  std::uint16_t queue = kUnresolved;
  bool operator==(const QueueReference&) const = default;
};

/// Where a packet goes from a stage or a branch.
struct Target {
  enum class Kind : std::uint8_t {
    kNext,    ///< "next": the stage behind
    kDrop,    ///< "drop": lost, counted under the stage's name
    kJoin,    ///< "join": from a branch, to the stage join behind the stage that branched off
    kSink,    ///< its name; `index` in the pipeline's sinks
    kBranch,  ///< its name; `index` in the pipeline's branches
  };
  std::string name;
  Kind kind = Kind::kNext;
  std::uint16_t index = 0;
};

}  // namespace ringside::pipeline
