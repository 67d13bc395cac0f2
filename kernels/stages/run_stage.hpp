// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One stage on one packet.
#pragma once

#include "kernels/stages/chain.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/load_balance.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/police.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/sample.hpp"
#include "kernels/stages/swap.hpp"
#include "kernels/stages/table.hpp"
#include "kernels/stages/user.hpp"

namespace ringside::stages {

/// What stages may need beyond the packet.
struct Surroundings {
  MacAddress mac;  ///< of the port that packets leave by
  std::uint64_t* words;
  SampleRing ring;
  SampleRingState* ring_state;
  std::uint64_t order;  ///< of the packet, for samples
  std::uint64_t clock_ns;
  std::uint64_t ticks;   ///< for police
  std::uint32_t source;  ///< the block's, of its pipeline's receive queues
};

/// The stage's op is `kOp`. `S`: where the stage is known from, memory (StoredStage) or in part the
/// compiler (KnownStage). `Users`: has the functions of the user's.
template <Op kOp, class Users, class S>
RS_DEVICE StageResult run_stage(PacketView& packet, const S& stage, const Surroundings& around) {
  bool on = true;
  if constexpr (kOp == Op::kMalformed) {
    on = !packet.headers.malformed;
  } else if constexpr (kOp == Op::kBeyond) {
    on = !packet.headers.beyond;
  } else if constexpr (kOp == Op::kMatch) {
    on = matches(packet, stage.match());
  } else if constexpr (kOp == Op::kTable) {
    on = run_table(packet, stage.template parameters<TableParameters>());
  } else if constexpr (kOp == Op::kRewrite) {
    on = run_rewrite(packet, stage.rewrite());
  } else if constexpr (kOp == Op::kSwap) {
    run_swap(packet, stage.swap());
  } else if constexpr (kOp == Op::kSample) {
    const Sampled sampled = run_sample(packet, stage.template parameters<SampleParameters>(),
                                       around.words + stage.word(), around.ring, *around.ring_state,
                                       around.order, around.clock_ns);
    if (sampled == Sampled::kNo) return {stage.on(), Outcome::kPast};
    on = sampled == Sampled::kYes;
  } else if constexpr (kOp == Op::kIcmpEcho) {
    on = run_icmp_echo(packet, stage.icmp_echo(), around.mac);
  } else if constexpr (kOp == Op::kLoadBalance) {
    return {stage.balanced(run_load_balance(packet, stage.load_balance())), Outcome::kOn};
  } else if constexpr (kOp == Op::kPolice) {
    const auto& police = stage.template parameters<PoliceParameters>();
    std::uint64_t* const buckets = around.words + stage.word();
    on = run_police(buckets + stage.bucket(packet, around.source), around.ticks, packet.length,
                    police);
  } else if constexpr (kOp == Op::kUser) {
    const auto& user = stage.template parameters<UserParameters>();
    on = Users::call(stage.function(), packet, user.parameters) == Next::kOn;
  } else {
    static_assert(kOp == Op::kPass);
  }
  return on ? StageResult{stage.on(), Outcome::kOn}
            : StageResult{stage.otherwise(), Outcome::kOtherwise};
}

/// `alone`: see add_shared().
template <class S>
RS_DEVICE void tally(StageCounters& counters, const S& stage, Outcome outcome, std::uint32_t length,
                     bool alone) {
  if (outcome == Outcome::kOn) {
    count_shared(&counters.on, alone);
    if (stage.counts_bytes()) add_shared(&counters.on_bytes, length, alone);
  } else if (outcome == Outcome::kOtherwise) {
    count_shared(&counters.otherwise, alone);
  }
}

}  // namespace ringside::stages
