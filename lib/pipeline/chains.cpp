// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/chains.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ringside::pipeline {
namespace {

struct TargetsOf {
  std::vector<StageTarget>& targets;

  void operator()(const ParseStage& stage) const { add(stage.malformed, "parse.malformed"); }
  void operator()(const MatchStage& stage) const {
    add(stage.then, "match.then");
    add(stage.otherwise, "match.otherwise");
  }
  void operator()(const LookupStage& stage) const {
    add(stage.then, "lookup.then");
    add(stage.otherwise, "lookup.otherwise");
  }
  void operator()(const LoadBalanceStage& stage) const {
    for (std::size_t i = 0; i < stage.backends.size(); ++i) {
      add(stage.backends[i].to, fmt::format("load_balance.backends[{}].to", i));
    }
  }
  void operator()(const PoliceStage& stage) const { add(stage.exceed, "police.exceed"); }
  void operator()(const SplitStage& stage) const {
    for (std::size_t i = 0; i < stage.rules.size(); ++i) {
      add(stage.rules[i].to, fmt::format("split.rules[{}].to", i));
    }
    add(stage.otherwise, "split.otherwise");
  }
  template <class Other>
  void operator()(const Other&) const {}

  void add(const Target& target, std::string path) const {
    targets.push_back({&target, std::move(path)});
  }
};

bool is_next(const Target& target) {
  return target.kind == Target::Kind::kNext;
}

}  // namespace

std::vector<Chain> chains_of(const Pipeline& pipeline, const std::string& path) {
  std::vector<Chain> chains;
  if (!pipeline.stages.empty()) chains.push_back({&pipeline.stages, nullptr, path + ".stages"});
  for (std::size_t i = 0; i < pipeline.kernels.size(); ++i) {
    chains.push_back(
        {&pipeline.kernels[i].stages, nullptr, fmt::format("{}.kernels[{}].stages", path, i)});
  }
  for (std::size_t i = 0; i < pipeline.branches.size(); ++i) {
    const Branch& branch = pipeline.branches[i];
    chains.push_back({&branch.stages, &branch, fmt::format("{}.branches[{}].stages", path, i)});
  }
  return chains;
}

std::vector<StageTarget> targets_of(const Stage& stage) {
  std::vector<StageTarget> targets;
  std::visit(TargetsOf{targets}, stage.params);
  return targets;
}

bool passes(const Stage& stage) {
  if (!stage.when.items.empty()) return true;
  if (std::holds_alternative<DropStage>(stage.params)) return false;
  // These keep only what they do not send elsewhere.
  const bool chooses = std::holds_alternative<MatchStage>(stage.params) ||
                       std::holds_alternative<LookupStage>(stage.params) ||
                       std::holds_alternative<LoadBalanceStage>(stage.params) ||
                       std::holds_alternative<SplitStage>(stage.params);
  if (!chooses) return true;
  return std::ranges::any_of(targets_of(stage),
                             [](const StageTarget& target) { return is_next(*target.target); });
}

const Target* copy_target_of(const Stage& stage) {
  if (const auto* const sample = std::get_if<SampleStage>(&stage.params)) return &sample->to;
  if (const auto* const mirror = std::get_if<MirrorStage>(&stage.params)) return &mirror->to;
  if (const auto* const echo = std::get_if<IcmpEchoStage>(&stage.params)) return &echo->to;
  return nullptr;
}

}  // namespace ringside::pipeline
