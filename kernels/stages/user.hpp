// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A function of the user's as a stage (kernels/stage.hpp).
#pragma once

#include <cstdint>

#include "kernels/stages/packet_view.hpp"

namespace ringside::stages {

/// What a user's stage answers.
enum class Next : std::int32_t { kOn, kDrop };

using UserFunction = Next (*)(PacketView& packet, const std::uint64_t* params);

struct UserParameters {
  UserFunction function;        ///< on the host
  std::uint64_t parameters[1];  ///< as many as the file gives
};

/// false: the packet is to be dropped. On a GPU the host refuses a pipeline with such a stage.
RS_DEVICE bool run_user(PacketView& packet, const UserParameters& user) {
#if defined(__CUDACC__)
  return false;
#else
  return user.function(packet, user.parameters) == Next::kOn;
#endif
}

}  // namespace ringside::stages
