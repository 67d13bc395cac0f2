// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A pipeline as a kernel of it reads it: a chain of stages (kernels/stages/chain.hpp) in one piece
// of bytes that may lie anywhere, and what each stage's counters mean.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// What became of the packets that a stage counts.
enum class StageRole : std::uint8_t {
  kStep,      ///< went on, one way or the other
  kCount,     ///< a count of the user's
  kDrop,      ///< were dropped; the name is the cause
  kConsumed,  ///< were handed to a sink for good; `otherwise`: the ring was full, and a kDrop
              ///< follows
  kCopied,    ///< a copy was handed to a sink; `otherwise`: it was lost, the packet went on
};

struct ChainStage {
  std::string name;
  std::string kind;  ///< match, lookup, ...
  StageRole role;
  bool operator==(const ChainStage&) const = default;
};

struct ChainImage {
  std::vector<std::uint64_t> words;  ///< the chain; stages' parameters behind it
  std::vector<ChainStage> stages;    ///< in the order of the chain's stages
  std::uint32_t state_words;         ///< that its blocks share
  std::uint32_t snaplen;             ///< the longest that a sink asks for; 0: no stage samples
  std::set<std::uint16_t> tables;    ///< that its stages look up; each is in `words` once
};

/// Finds or makes the function of a stage of the user's, for UserParameters::function. Throws
/// Error.
using UserFunctions = std::function<std::uint64_t(const UserStage&)>;

/// The chain of one of the pipeline's kernels. `pipeline` and `tables` are checked and resolved.
/// `splits`: its queues split headers from data. Throws usage_error for what a kernel cannot do,
/// such as too many stages.
ChainImage build_chain(const Pipeline& pipeline, std::size_t kernel,
                       const std::vector<Table>& tables, const UserFunctions& user_functions,
                       bool splits = false);

/// The same with nothing in its tables and no function of the user's: what it is whatever those
/// are. `config`: as load() leaves it. Throws as build_chain() does.
ChainImage chain_shape(const Config& config, std::size_t pipeline, std::size_t kernel, bool splits);

}  // namespace ringside::pipeline
