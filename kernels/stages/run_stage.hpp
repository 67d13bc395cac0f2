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
  const Chain* chain;
  MacAddress mac;  ///< of the port that packets leave by
  std::uint64_t* words;
  SampleRing ring;
  SampleRingState* ring_state;
  std::uint64_t order;  ///< of the packet, for samples
  std::uint64_t clock_ns;
  std::uint64_t ticks;   ///< for police
  std::uint32_t source;  ///< the block's, of its pipeline's receive queues
};

RS_DEVICE StageResult run_stage(PacketView& packet, const Stage& stage,
                                const Surroundings& around) {
  const Chain& chain = *around.chain;
  bool on = true;
  switch (stage.op) {
    case Op::kPass:
      break;
    case Op::kMalformed:
      on = !packet.headers.malformed;
      break;
    case Op::kBeyond:
      on = !packet.headers.beyond;
      break;
    case Op::kMatch:
      on = matches(packet, chain_part<Match>(chain, stage.parameters));
      break;
    case Op::kTable:
      on = run_table(packet, chain_part<TableParameters>(chain, stage.parameters));
      break;
    case Op::kRewrite:
      on = run_rewrite(packet, chain_part<RewriteParameters>(chain, stage.parameters));
      break;
    case Op::kSwap:
      run_swap(packet, chain_part<SwapParameters>(chain, stage.parameters));
      break;
    case Op::kSample: {
      const Sampled sampled = run_sample(
          packet, chain_part<SampleParameters>(chain, stage.parameters), around.words + stage.word,
          around.ring, *around.ring_state, around.order, around.clock_ns);
      if (sampled == Sampled::kNo) return {stage.on, Outcome::kPast};
      on = sampled == Sampled::kYes;
      break;
    }
    case Op::kIcmpEcho:
      on = run_icmp_echo(packet, chain_part<IcmpEchoParameters>(chain, stage.parameters),
                         around.mac);
      break;
    case Op::kLoadBalance:
      return {run_load_balance(packet, chain_part<LoadBalanceParameters>(chain, stage.parameters)),
              Outcome::kOn};
    case Op::kPolice: {
      const auto& police = chain_part<PoliceParameters>(chain, stage.parameters);
      on = run_police(around.words + stage.word + police_bucket(packet, around.source, police),
                      around.ticks, packet.length, police);
      break;
    }
    case Op::kUser:
      on = run_user(packet, chain_part<UserParameters>(chain, stage.parameters));
      break;
  }
  return on ? StageResult{stage.on, Outcome::kOn}
            : StageResult{stage.otherwise, Outcome::kOtherwise};
}

}  // namespace ringside::stages
