// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "kernels/cuda_any_chain.hpp"

#include "kernels/stages/stored_chain.hpp"

namespace {

struct LinkedUsers {
  RS_DEVICE static ringside::stages::Next call(std::uint64_t function,
                                               ringside::stages::PacketView& packet,
                                               const std::uint64_t* parameters) {
    return ringside_call_user(function, &packet, parameters);
  }
};

}  // namespace

extern "C" __device__ __noinline__ ringside::stages::Target ringside_run_any_chain(
    ringside::stages::PacketView* packet, const ringside::stages::Chain* chain,
    const ringside::stages::Surroundings* around, ringside::stages::StageCounters* counters,
    bool alone) {
  // A packet in one part is one whose second part is empty.
  constexpr bool kSplit = true;
  return ringside::stages::run_stored<kSplit, LinkedUsers>(*packet, *chain, *around, counters,
                                                           alone);
}
