// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The functions by which a kernel that was compiled for some chains and the part of it that was
// built in for all others call each other, across a link.
#pragma once

#include "kernels/stages/run_stage.hpp"

/// Built in (cuda_any_chain.cu): run_stored() on a packet whose headers have not been looked for.
extern "C" __device__ ringside::stages::Target ringside_run_any_chain(
    ringside::stages::PacketView* packet, const ringside::stages::Chain* chain,
    const ringside::stages::Surroundings* around, ringside::stages::StageCounters* counters,
    bool alone);

/// Compiled (cuda_known_pipeline.hpp): the user's function of that number.
extern "C" __device__ ringside::stages::Next ringside_call_user(
    std::uint64_t function, ringside::stages::PacketView* packet, const std::uint64_t* parameters);
