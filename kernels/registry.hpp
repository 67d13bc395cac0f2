// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs by name, as the host GPU runs them: made from the list in kernels/all.hpp.
// And what other programs bring with them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/device/burst.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

class HostBlock;  // lib/device/host_block.hpp

struct HostKernel {
  std::string_view name;
  /// Runs in each of a block's threads until the stream's exit word is set.
  void (*run)(HostBlock& block, const StreamArgs& args);
  /// The program on one burst, and on a lane of bursts until its exit word is set. nullptr both: it
  /// is no BurstProgram.
  void (*run_burst)(HostBlock& block, const BurstArgs& burst);
  void (*serve_bursts)(HostBlock& block, const BurstLaneArgs& lane);
  bool receives;
  bool sends;
};

/// A kernel of another program than ours, for both kinds of GPU: kernels/user_kernel.hpp makes it.
struct UserKernel {
  std::string_view name;                                  ///< what a launch names it by
  void (*run)(HostBlock& block, const StreamArgs& args);  ///< as HostKernel::run
  /// A fat binary with the entry ringside_<name>; nullptr: it does not run on NVIDIA GPUs.
  const char* fatbin;
};

std::span<const HostKernel> host_kernels();
/// nullptr: unknown.
const HostKernel* find_host_kernel(std::string_view name);

}  // namespace ringside
