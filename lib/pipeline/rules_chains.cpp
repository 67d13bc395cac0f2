// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How stages, branches and kernels follow each other.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "lib/pipeline/chains.hpp"
#include "lib/pipeline/rules.hpp"

namespace ringside::pipeline {
namespace {

bool is_join(const Stage& stage) {
  return std::holds_alternative<JoinStage>(stage.params);
}

bool join_behind(const Chain& chain, std::size_t stage) {
  return std::any_of(chain.stages->begin() + static_cast<std::ptrdiff_t>(stage) + 1,
                     chain.stages->end(), is_join);
}

/// What the chains of one pipeline lead to.
class ChainRules {
 public:
  ChainRules(const RuleContext& context, const Pipeline& pipeline, std::string path)
      : problems_(context.problems),
        pipeline_(pipeline),
        path_(std::move(path)),
        chains_(chains_of(pipeline, path_)),
        led_from_(pipeline.branches.size()) {}

  void check() {
    for (const Chain& chain : chains_) {
      if (!check_chain(chain)) note_end(chain);
    }
    check_kernels();
    check_branches();
    check_unused_sinks();
  }

 private:
  /// True when packets come to the end of the chain.
  bool check_chain(const Chain& chain) {
    const std::vector<Stage>& stages = *chain.stages;
    bool reached = true;
    bool joined = false;  // a branch comes back to the next join
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const std::string path = fmt::format("{}[{}]", chain.path, i);
      if (is_join(stages[i])) {
        check_join(stages[i], path, joined);
        reached = reached || joined;
        joined = false;
      }
      if (!reached) {
        problems_.error(path, "no packet gets here: all leave the chain before this stage");
        reached = true;  // said once
      }
      for (const StageTarget& target : targets_of(stages[i])) {
        joined = note_target(chain, i, path + "." + target.path, *target.target) || joined;
      }
      if (const Target* const copies = copy_target_of(stages[i])) note_sink(*copies);
      reached = reached && passes(stages[i]);
    }
    if (chain.branch != nullptr) note_sink(chain.branch->then);
    return reached;
  }

  /// No packet comes to the end of the chain: a kernel behind it would have none.
  void note_end(const Chain& chain) {
    for (std::size_t next = 1; next < pipeline_.kernels.size(); ++next) {
      const Kernel& kernel = pipeline_.kernels[next - 1];
      if (chain.stages != &kernel.stages) continue;
      problems_.error(fmt::format("{}.kernels[{}]", path_, next),
                      fmt::format("no packet gets to the stages of {}: all leave before the end of "
                                  "{}",
                                  pipeline_.kernels[next].name, kernel.name));
    }
  }

  void check_join(const Stage& stage, const std::string& path, bool joined) {
    if (!stage.when.items.empty()) {
      problems_.error(path + ".when", "join takes whatever comes: remove the condition");
    }
    if (!joined) problems_.error(path, "no branch comes back here: remove it");
  }

  /// True when packets come back behind the stage.
  bool note_target(const Chain& chain, std::size_t stage, const std::string& path,
                   const Target& target) {
    note_sink(target);
    if (target.kind != Target::Kind::kBranch || target.index >= pipeline_.branches.size()) {
      return false;
    }
    led_from_[target.index].insert(&chain);
    if (pipeline_.branches[target.index].then.kind != Target::Kind::kJoin) return false;
    if (!join_behind(chain, stage)) {
      problems_.error(path, fmt::format("{} ends with join, but there is no stage join behind this "
                                        "one: add it, or set the branch's then to a sink",
                                        target.name));
    }
    return true;
  }

  void note_sink(const Target& target) {
    if (target.kind == Target::Kind::kSink) used_sinks_.insert(target.index);
  }

  void check_kernels() {
    if (!pipeline_.stages.empty() && !pipeline_.kernels.empty()) {
      problems_.error(path_ + ".kernels",
                      "stages and kernels: move the stages into a kernel, or remove one of them");
    }
    check_threads(pipeline_.threads_per_block, path_);
    for (std::size_t i = 0; i < pipeline_.kernels.size(); ++i) {
      check_threads(pipeline_.kernels[i].threads_per_block,
                    fmt::format("{}.kernels[{}]", path_, i));
    }
  }

  void check_threads(const std::optional<std::uint32_t>& threads, const std::string& path) {
    constexpr std::uint32_t kWarp = 32;
    if (!threads || *threads % kWarp == 0) return;
    const std::uint32_t below = *threads / kWarp * kWarp;
    problems_.error(path + ".threads_per_block",
                    fmt::format("{} is no multiple of {}, the threads of a warp; use {} or {}",
                                *threads, kWarp, below, below + kWarp));
  }

  void check_branches() {
    for (std::size_t i = 0; i < pipeline_.branches.size(); ++i) {
      const std::string path = fmt::format("{}.branches[{}]", path_, i);
      if (led_from_[i].empty()) {
        problems_.warn(path, fmt::format("no stage leads to {}", pipeline_.branches[i].name));
      } else if (led_from_[i].size() > 1) {
        problems_.error(path, fmt::format("{} is led to from more than one chain: make a branch "
                                          "for each",
                                          pipeline_.branches[i].name));
      } else if (in_circle(i)) {
        problems_.error(path, fmt::format("{} leads back to itself: packets would never leave",
                                          pipeline_.branches[i].name));
      }
    }
  }

  bool in_circle(std::size_t branch) const {
    std::size_t at = branch;
    for (std::size_t steps = 0; steps <= led_from_.size(); ++steps) {
      if (led_from_[at].empty()) return false;
      const Branch* const from = (*led_from_[at].begin())->branch;
      if (from == nullptr) return false;
      at = static_cast<std::size_t>(from - pipeline_.branches.data());
      if (at == branch) return true;
    }
    return false;  // it hangs from a circle that it is no part of
  }

  void check_unused_sinks() {
    for (std::size_t i = 1; i < pipeline_.sinks.size(); ++i) {
      if (used_sinks_.contains(static_cast<std::uint16_t>(i))) continue;
      problems_.warn(fmt::format("{}.sinks[{}]", path_, i),
                     fmt::format("nothing leads to {}; only the first sink gets packets by itself",
                                 pipeline_.sinks[i].name));
    }
  }

  Problems& problems_;
  const Pipeline& pipeline_;
  std::string path_;
  std::vector<Chain> chains_;
  std::vector<std::set<const Chain*>> led_from_;  ///< by branch
  std::set<std::uint16_t> used_sinks_;
};

}  // namespace

void check_chains(const RuleContext& context) {
  for (std::size_t i = 0; i < context.config.pipelines.size(); ++i) {
    ChainRules(context, context.config.pipelines[i], fmt::format("pipelines[{}]", i)).check();
  }
}

}  // namespace ringside::pipeline
