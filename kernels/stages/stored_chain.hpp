// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A chain as it lies in memory, walked from stage to stage: any chain, and a load or more a step.
#pragma once

#include "kernels/stages/parse.hpp"
#include "kernels/stages/run_stage.hpp"

namespace ringside::stages {

class StoredStage {
 public:
  RS_DEVICE StoredStage(const Chain& chain, Target number)
      : chain_(chain), stage_(chain.stage[number]) {}

  RS_DEVICE Op op() const { return stage_.op; }
  RS_DEVICE Target on() const { return stage_.on; }
  RS_DEVICE Target otherwise() const { return stage_.otherwise; }
  RS_DEVICE bool counts_bytes() const { return stage_.counts_bytes; }
  RS_DEVICE std::uint32_t word() const { return stage_.word; }

  template <class T>
  RS_DEVICE const T& parameters() const {
    return chain_part<T>(chain_, stage_.parameters);
  }
  RS_DEVICE const Match& match() const { return parameters<Match>(); }
  RS_DEVICE const RewriteParameters& rewrite() const { return parameters<RewriteParameters>(); }
  RS_DEVICE const SwapParameters& swap() const { return parameters<SwapParameters>(); }
  RS_DEVICE IcmpEcho icmp_echo() const {
    const auto& stored = parameters<IcmpEchoParameters>();
    return {stored.arp, stored.count, stored.addresses};
  }
  RS_DEVICE LoadBalance load_balance() const {
    const auto& stored = parameters<LoadBalanceParameters>();
    return {stored.over, stored.symmetric, stored.of_bucket, stored.backends};
  }
  RS_DEVICE std::uint32_t bucket(const PacketView& packet, std::uint32_t source) const {
    const auto& stored = parameters<PoliceParameters>();
    return police_bucket(packet, source, stored.per, stored.key, stored.buckets);
  }
  RS_DEVICE static Target balanced(Target to) { return to; }
  RS_DEVICE std::uint64_t function() const { return parameters<UserParameters>().function; }

 private:
  const Chain& chain_;
  // By value: a store into the packet could else be one into this, for all that the compiler knows,
  // and each look would read it again.
  const Stage stage_;
};

template <class Users>
RS_DEVICE StageResult run_any_stage(PacketView& packet, const StoredStage& stage,
                                    const Surroundings& around) {
  switch (stage.op()) {
    case Op::kPass:
      return run_stage<Op::kPass, Users>(packet, stage, around);
    case Op::kMalformed:
      return run_stage<Op::kMalformed, Users>(packet, stage, around);
    case Op::kBeyond:
      return run_stage<Op::kBeyond, Users>(packet, stage, around);
    case Op::kMatch:
      return run_stage<Op::kMatch, Users>(packet, stage, around);
    case Op::kTable:
      return run_stage<Op::kTable, Users>(packet, stage, around);
    case Op::kRewrite:
      return run_stage<Op::kRewrite, Users>(packet, stage, around);
    case Op::kSwap:
      return run_stage<Op::kSwap, Users>(packet, stage, around);
    case Op::kSample:
      return run_stage<Op::kSample, Users>(packet, stage, around);
    case Op::kIcmpEcho:
      return run_stage<Op::kIcmpEcho, Users>(packet, stage, around);
    case Op::kLoadBalance:
      return run_stage<Op::kLoadBalance, Users>(packet, stage, around);
    case Op::kPolice:
      return run_stage<Op::kPolice, Users>(packet, stage, around);
    default:
      return run_stage<Op::kUser, Users>(packet, stage, around);
  }
}

/// Where the packet ends up: one of the targets that are no stage. `counters`: [chain.stages]
/// `kSplit`: packets may be in two parts.
template <bool kSplit, class Users>
RS_DEVICE Target run_stored(PacketView& packet, const Chain& chain, const Surroundings& around,
                            StageCounters* counters, bool alone) {
  const std::uint32_t count = chain.stages;
  if (chain.parses) parse<kSplit>(packet, chain.parse);
  Target at = 0;
  // Ends: targets are behind the stage that names them.
  while (at < count) {
    const StoredStage stage(chain, at);
    const StageResult result = run_any_stage<Users>(packet, stage, around);
    tally(counters[at], stage, result.outcome, packet.length, alone);
    at = result.to;
  }
  return at;
}

}  // namespace ringside::stages
