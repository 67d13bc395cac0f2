// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Blocks of a GPU, for tests: tests/unit/kernel_run.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/device/memory.hpp"
#include "lib/device/stream.hpp"
#include "tests/gpu/errands.hpp"
#include "tests/gpu/launch.hpp"

namespace ringside::test {

/// A block finds as many packets at a look as its warp has lanes for, and fewer where they come
/// while it looks.
inline constexpr bool kOneLookTakesAll = false;
/// Kernels' clocks are not the CPU's.
inline constexpr bool kKernelsHaveHostClock = false;
/// Threads of a warp may make a call at the same time.
inline constexpr bool kLanesComeTogether = true;

/// A program of the test's own (tests/unit/own_programs.hpp).
template <class P>
struct OwnProgram {};

/// Kernels may ring it while this lives.
using ReachableDoorbell = gpu::DoorbellPage;

/// A kernel, by its name or itself, on a block of its own.
class KernelRun {
 public:
  KernelRun(std::string_view name, const StreamArgs& stream, std::uint32_t threads)
      : stream_(stream), doorbell_(stream.tx.doorbell) {
    const StreamArgs* streams = &stream_;
    launch_.emplace(gpu::program_kernel(name), 1, whole_warps(threads), &streams);
  }
  template <class P>
  KernelRun(OwnProgram<P>, const StreamArgs& stream, std::uint32_t threads)
      : KernelRun(P::kName, stream, threads) {}
  ~KernelRun() { stop(); }

  void request_stop() { store_release_system(&stream_.control->exit, 1U); }
  void join() { launch_.reset(); }
  void stop() {
    request_stop();
    join();
  }

 private:
  static std::uint32_t whole_warps(std::uint32_t threads) { return (threads + 31) / 32 * 32; }

  const StreamArgs stream_;
  gpu::DoorbellPage doorbell_;
  std::optional<gpu::Launch> launch_;
};

}  // namespace ringside::test
