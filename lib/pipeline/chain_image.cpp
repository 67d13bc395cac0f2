// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/chain_image.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include "kernels/stages/chain.hpp"
#include "kernels/stages/sample.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/chains.hpp"
#include "lib/pipeline/stage_parameters.hpp"

namespace ringside::pipeline {
namespace {

using stages::Op;

constexpr int kMostNested = 16;

/// Stages are made from the last to the first, so that what one leads to is there already and lies
/// behind it: a place is a number from the end, 0 and above, or one of the kernel's targets.
using Place = int;
constexpr Place kSend = -1, kDrop = -2, kConsume = -3, kNextKernel = -4;

class ChainBuilder {
 public:
  ChainBuilder(const Pipeline& pipeline, const std::vector<Table>& tables,
               const UserFunctions& user_functions, bool splits)
      : pipeline_(pipeline), tables_(tables), user_functions_(user_functions), splits_(splits) {
    for (const Chain& chain : chains_of(pipeline, {})) {
      for (const Stage& stage : *chain.stages) note_ports(stage);
    }
  }

  ChainImage build(std::size_t index) {
    const Kernel& kernel = pipeline_.kernels.at(index);
    const bool last = index + 1 == pipeline_.kernels.size();
    const Target sink{pipeline_.sinks.front().name, Target::Kind::kSink, 0};
    const Place entry =
        list(kernel.stages, last ? resolve(sink, {}) : Place{kNextKernel}, kDrop, 0);
    // Packets enter at the chain's first stage, which is the last one made.
    if (entry != static_cast<Place>(nodes_.size()) - 1 || nodes_.empty()) {
      add({kernel.name, "forward", StageRole::kStep}, Op::kPass, entry);
    }
    return finish();
  }

 private:
  struct Node {
    ChainStage told;
    stages::Stage stage{};
    Place on, otherwise;
  };
  /// Where a stage stands: what its targets may mean.
  struct Around {
    std::string cause;       ///< the stage's name
    Place next = kDrop;      ///< the stage behind it
    Place join = kDrop;      ///< of the branch that it is in
    Place own_join = kDrop;  ///< the next stage join behind it
    int depth = 0;
  };

  Place add(ChainStage told, Op op, Place on, Place otherwise, std::uint32_t parameters = 0) {
    if (nodes_.size() == stages::kMaxStages) {
      throw usage_error(fmt::format("pipeline {} has more than {} stages, branches counted where "
                                    "they are used",
                                    pipeline_.name, stages::kMaxStages),
                        "use fewer");
    }
    Node node{std::move(told), {}, on, otherwise};
    node.stage.op = op;
    node.stage.parameters = parameters;
    node.stage.counts_bytes = node.told.role != StageRole::kStep;
    nodes_.push_back(std::move(node));
    return static_cast<Place>(nodes_.size()) - 1;
  }
  Place add(ChainStage told, Op op, Place on) { return add(std::move(told), op, on, on); }

  Place drop(const std::string& cause) {
    return add({cause, "drop", StageRole::kDrop}, Op::kPass, kDrop);
  }

  /// Gives the stage words of its own.
  Place with_words(Place place, std::uint32_t count) {
    nodes_[static_cast<std::size_t>(place)].stage.word = state_words_;
    state_words_ += count;
    return place;
  }

  Place sample(ChainStage told, std::uint16_t sink, std::uint32_t every, Place on,
               Place otherwise) {
    const SinkParams& params = pipeline_.sinks.at(sink).params;
    const auto* const pcap = std::get_if<PcapSink>(&params);
    const std::uint32_t snaplen = pcap != nullptr ? pcap->snaplen : UINT16_MAX;
    snaplen_ = std::max(snaplen_, snaplen);
    return with_words(add(std::move(told), Op::kSample, on, otherwise,
                          parameters_.add(stages::SampleParameters{every, snaplen, sink})),
                      1);
  }

  Place sink(std::uint16_t index) {
    const Sink& sink = pipeline_.sinks.at(index);
    if (std::holds_alternative<TxSink>(sink.params)) return kSend;
    if (std::holds_alternative<DropSink>(sink.params)) return drop(sink.name);
    return sample({sink.name, "sink", StageRole::kConsumed}, index, 1, kConsume,
                  drop(sink.name + ": ring full"));
  }

  Place resolve(const Target& target, const Around& around) {
    switch (target.kind) {
      case Target::Kind::kNext:
        return around.next;
      case Target::Kind::kDrop:
        return drop(around.cause);
      case Target::Kind::kJoin:
        return around.join;
      case Target::Kind::kSink:
        return sink(target.index);
      case Target::Kind::kBranch:
        break;
    }
    if (around.depth == kMostNested) {
      throw usage_error(fmt::format("pipeline {}: branch {} leads to itself, or is nested more "
                                    "than {} deep",
                                    pipeline_.name, target.name, kMostNested),
                        "let branches lead forward");
    }
    const Branch& branch = pipeline_.branches.at(target.index);
    Around inside{.cause = branch.name, .join = around.own_join, .depth = around.depth + 1};
    return list(branch.stages, resolve(branch.then, inside), around.own_join, around.depth + 1);
  }

  /// Returns where a packet enters. `end`: where it is after the last stage.
  Place list(const std::vector<Stage>& stages, Place end, Place join, int depth) {
    Around around{.cause = {}, .next = end, .join = join, .own_join = end, .depth = depth};
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      around.cause = stage->name;
      const bool joins = std::holds_alternative<JoinStage>(stage->params);
      Place entry =
          std::visit([&](const auto& params) { return lower(params, around); }, stage->params);
      if (!stage->when.items.empty()) {
        parses_ = true;
        entry = add({stage->name + ".when", "match", StageRole::kStep}, Op::kMatch, entry,
                    around.next, conditions(stage->when));
      }
      around.next = entry;
      if (joins) around.own_join = entry;
    }
    return around.next;
  }

  ChainStage step(const Around& around, const char* kind) const {
    return {around.cause, kind, StageRole::kStep};
  }

  /// What a stage parse says holds in the kernels behind it too, which find the headers anew.
  void note_ports(const Stage& stage) {
    const auto* const parse = std::get_if<ParseStage>(&stage.params);
    if (parse == nullptr || has_ports_) return;
    has_ports_ = true;
    parse_.vxlan_port = parse->vxlan_port;
    parse_.gtpu_port = parse->gtpu_port;
    parse_.ecpri_ethertype = parse->ecpri_ethertype;
  }
  Place lower(const ParseStage& stage, const Around& around) {
    parses_ = true;
    parse_.tunnels = true;
    const Place next = splits_ ? in_first_part(stage, around) : around.next;
    return add(step(around, "parse"), Op::kMalformed, next, resolve(stage.malformed, around));
  }
  /// What no stage can look at is treated as what none understands, and counted apart.
  Place in_first_part(const ParseStage& stage, Around around) {
    around.cause += ": header in data";
    return add(step(around, "parse"), Op::kBeyond, around.next, resolve(stage.malformed, around));
  }
  Place lower(const MatchStage& stage, const Around& around) {
    parses_ = true;
    const Place on = resolve(stage.then, around);
    return add(step(around, "match"), Op::kMatch, on, resolve(stage.otherwise, around),
               conditions(stage.fields));
  }
  Place lower(const LookupStage& stage, const Around& around) {
    parses_ = true;
    const Place on = resolve(stage.then, around);
    return add(step(around, "lookup"), Op::kTable, on, resolve(stage.otherwise, around),
               lookup_heads_.emplace_back(add_table_head(parameters_), stage.table.index).first);
  }
  Place lower(const RewriteStage& stage, const Around& around) {
    parses_ = true;
    const Place no_hop = stage.decrement_ttl ? drop(around.cause + ": no hop left") : around.next;
    return add(step(around, "rewrite"), Op::kRewrite, around.next, no_hop,
               add_rewrite(parameters_, stage));
  }
  Place lower(const SwapStage& stage, const Around& around) {
    parses_ = true;
    return add(step(around, "swap"), Op::kSwap, around.next, around.next,
               add_swap(parameters_, stage));
  }
  Place lower(const DropStage&, const Around& around) { return drop(around.cause); }
  Place lower(const CountStage& stage, const Around& around) {
    const auto count = [&](const char* suffix) {
      return ChainStage{around.cause + suffix, "count", StageRole::kCount};
    };
    if (stage.by == CountStage::By::kAll) return add(count(""), Op::kPass, around.next);
    parses_ = true;
    Place entry = add(count(".other"), Op::kPass, around.next);
    constexpr std::pair<const char*, Item> kProtocols[] = {{".arp", Item::kArp},
                                                           {".icmp6", Item::kIcmp6},
                                                           {".icmp", Item::kIcmp},
                                                           {".udp", Item::kUdp},
                                                           {".tcp", Item::kTcp}};
    for (const auto& [suffix, item] : kProtocols) {
      entry = add(count(suffix), Op::kMatch, around.next, entry,
                  add_match(parameters_, Match{{{item, false, {}}}}));
    }
    return entry;
  }
  Place lower(const SampleStage& stage, const Around& around) {
    return sample({around.cause, "sample", StageRole::kCopied}, stage.to.index, stage.every,
                  around.next, around.next);
  }
  Place lower(const MirrorStage& stage, const Around& around) {
    return sample({around.cause, "mirror", StageRole::kCopied}, stage.to.index, 1, around.next,
                  around.next);
  }
  Place lower(const IcmpEchoStage& stage, const Around& around) {
    parses_ = true;
    return add(step(around, "icmp_echo"), Op::kIcmpEcho, resolve(stage.to, around), around.next,
               add_icmp_echo(parameters_, stage));
  }
  Place lower(const LoadBalanceStage& stage, const Around& around) {
    parses_ = true;
    std::vector<Place> places;
    for (const LoadBalanceStage::Backend& backend : stage.backends) {
      places.push_back(resolve(backend.to, around));
    }
    const Place entry = add(step(around, "load_balance"), Op::kLoadBalance, around.next);
    balances_.push_back({static_cast<std::size_t>(entry), &stage, std::move(places)});
    return entry;
  }
  Place lower(const PoliceStage& stage, const Around& around) {
    const Place exceed = resolve(stage.exceed, around);
    const bool per_flow = is_per_flow(stage.per);
    if (per_flow) parses_ = true;
    for (const FieldName& name : stage.fields) look_at(field_info(name.field).item, name.inner);
    std::uint32_t buckets = 1;
    if (per_flow) buckets = stage.buckets.value();
    if (stage.per == PoliceStage::Per::kQueue) {
      buckets = static_cast<std::uint32_t>(pipeline_.sources.size());
    }
    return with_words(add(step(around, "police"), Op::kPolice, around.next, exceed,
                          add_police(parameters_, stage, buckets)),
                      buckets);
  }
  Place lower(const SplitStage& stage, const Around& around) {
    parses_ = true;
    Place entry = resolve(stage.otherwise, around);
    for (std::size_t i = stage.rules.size(); i-- > 0;) {
      const Place to = resolve(stage.rules[i].to, around);
      entry = add({fmt::format("{}[{}]", around.cause, i), "split", StageRole::kStep}, Op::kMatch,
                  to, entry, conditions(stage.rules[i].when));
    }
    return entry;
  }
  /// Notes what a match looks at.
  std::uint32_t conditions(const Match& match) {
    parses_ = true;
    for (const ItemMatch& item : match.items) look_at(item.item, item.inner);
    return add_match(parameters_, match);
  }

  void look_at(Item item, bool inner) {
    parse_.tunnels |= inner || item == Item::kVxlan || item == Item::kGtpu;
  }

  static Place lower(const JoinStage&, const Around& around) { return around.next; }
  Place lower(const UserStage& stage, const Around& around) {
    parses_ = true;
    parse_.tunnels = true;
    const Place dropped = drop(around.cause);
    return add(step(around, "user"), Op::kUser, around.next, dropped,
               add_user(parameters_, stage, user_functions_(stage)));
  }

  stages::Target target(Place place) const {
    switch (place) {
      case kSend:
        return stages::kSendTarget;
      case kDrop:
        return stages::kDropTarget;
      case kConsume:
        return stages::kConsumeTarget;
      case kNextKernel:
        return stages::kNextTarget;
      default:
        return static_cast<stages::Target>(static_cast<Place>(nodes_.size()) - 1 - place);
    }
  }

  ChainImage finish() {
    for (const Balance& balance : balances_) {
      std::vector<stages::Target> targets;
      for (const Place place : balance.places) targets.push_back(target(place));
      nodes_[balance.node].stage.parameters =
          add_load_balance(parameters_, *balance.stage, targets);
    }
    // Last, so that another size of a table moves nothing else: the chain's shape stays.
    std::map<std::uint16_t, std::uint32_t> filled;
    for (const auto& [table_head, table] : lookup_heads_) {
      const auto [first, is_new] = filled.try_emplace(table, table_head);
      if (is_new) {
        fill_table(parameters_, table_head, tables_.at(table));
      } else {
        share_table(parameters_, table_head, first->second);
      }
    }
    ParameterBytes image;
    stages::Chain head{};
    head.stages = static_cast<std::uint32_t>(nodes_.size());
    head.parses = parses_;
    head.parse = parse_;
    std::vector<stages::Stage> chain;
    const std::size_t chain_bytes =
        offsetof(stages::Chain, stage) + nodes_.size() * sizeof(stages::Stage);
    const auto behind = static_cast<std::uint32_t>((chain_bytes + 7) / 8 * 8);
    ChainImage result{
        .words = {}, .stages = {}, .state_words = state_words_, .snaplen = snaplen_, .tables = {}};
    for (const auto& [table, table_head] : filled) result.tables.insert(table);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      stages::Stage& stage = chain.emplace_back(node->stage);
      stage.on = target(node->on);
      stage.otherwise = target(node->otherwise);
      stage.parameters += behind;
      result.stages.push_back(node->told);
    }
    image.add(head, offsetof(stages::Chain, stage), chain);
    image.add(parameters_.words().data(), parameters_.words().size() * sizeof(std::uint64_t));
    result.words = std::move(image.words());
    return result;
  }

  struct Balance {
    std::size_t node;
    const LoadBalanceStage* stage;
    std::vector<Place> places;
  };

  const Pipeline& pipeline_;
  const std::vector<Table>& tables_;
  const UserFunctions& user_functions_;
  const bool splits_;
  std::vector<Node> nodes_;
  std::vector<Balance> balances_;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> lookup_heads_;  ///< with their tables
  ParameterBytes parameters_;
  stages::ParseOptions parse_{.tunnels = false};
  bool parses_ = false;
  bool has_ports_ = false;  // of parse_
  std::uint32_t state_words_ = 0;
  std::uint32_t snaplen_ = 0;
};

}  // namespace

ChainImage build_chain(const Pipeline& pipeline, std::size_t kernel,
                       const std::vector<Table>& tables, const UserFunctions& user_functions,
                       bool splits) {
  return ChainBuilder(pipeline, tables, user_functions, splits).build(kernel);
}

ChainImage chain_shape(const Config& config, std::size_t pipeline, std::size_t kernel,
                       bool splits) {
  std::vector<Table> tables(config.tables.size());
  for (Table& table : tables) table.capacity = 1;
  return build_chain(
      config.pipelines.at(pipeline), kernel, tables,
      [](const UserStage&) { return std::uint64_t{0}; }, splits);
}

}  // namespace ringside::pipeline
