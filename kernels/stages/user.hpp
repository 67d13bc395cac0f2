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
  /// The UserFunction on the host; in a kernel that was compiled with the user's functions, the
  /// number of one.
  std::uint64_t function;
  std::uint64_t parameters[1];  ///< as many as the file gives
};

/// The functions that a kernel can call which was built without any of the user's.
struct BuiltInUsers {
  RS_DEVICE static Next call(std::uint64_t function, PacketView& packet,
                             const std::uint64_t* parameters) {
#if defined(__CUDACC__)
    return Next::kDrop;  // the host starts no pipeline with such a stage on this kernel
#else
    return reinterpret_cast<UserFunction>(function)(packet, parameters);
#endif
  }
};

}  // namespace ringside::stages
