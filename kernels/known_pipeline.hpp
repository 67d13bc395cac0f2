// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Pipelines' programs for chains whose shapes are known when they are compiled: those that a
// pipeline starts with. A reload may bring a chain of another shape, which is walked in memory.
#pragma once

#include "kernels/cuda_any_chain.hpp"
#include "kernels/joint_pipeline.hpp"
#include "kernels/stages/known_chain.hpp"

namespace ringside {

/// `Users`: has the functions of the user's. `Shapes`: number 1 and on (stages/known_chain.hpp).
template <class Users, class... Shapes>
struct KnownChains {
  template <bool kSplit>
  RS_DEVICE static stages::Target run(std::uint32_t shape, stages::PacketView& packet,
                                      const stages::Chain& chain,
                                      const stages::Surroundings& around,
                                      stages::StageCounters* counters, bool alone) {
    stages::Target to = 0;
    std::uint32_t number = 0;
    const bool known =
        ((++number == shape &&
          ((to = stages::run_known<kSplit, Users, Shapes>(packet, chain, around, counters, alone)),
           true)) ||
         ...);
    if (known) return to;
    // Called: seldom, and what it does would take registers from the others. It gets copies, since
    // what has its address passed on lies in memory.
    const stages::Surroundings copy = around;
    stages::PacketView view{packet.data, packet.length, packet.flow_mark,  packet.tag,
                            {},          packet.rest,   packet.rest_length};
    to = ringside_run_any_chain(&view, &chain, &copy, counters, alone);
    packet.tag = view.tag;
    return to;
  }
};

/// `Program`: Pipeline, or one of joint_pipeline.hpp.
template <class Program, class Users, class... Shapes>
struct KnownProgram : Program {
  template <Block B>
  using State = typename Program::template StateOf<B, KnownChains<Users, Shapes...>>;
};

}  // namespace ringside
