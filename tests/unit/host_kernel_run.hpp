// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Blocks of host threads, for tests: tests/unit/kernel_run.hpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/device/host_block.hpp"
#include "lib/device/stream.hpp"
#include "lib/device/thread_scope.hpp"
#include "tests/unit/own_programs.hpp"

namespace ringside::test {

/// A program of the test's own (tests/unit/own_programs.hpp).
template <class P>
struct OwnProgram {};

// What a GPU does not have: see tests/gpu.
inline constexpr bool kQueuesShareTallies = true;
inline constexpr bool kOneLookTakesAll = true;
inline constexpr bool kKernelsHaveHostClock = true;
inline constexpr bool kLanesComeTogether = false;

/// Kernels may ring it while this lives.
struct ReachableDoorbell {
  explicit ReachableDoorbell(std::uint64_t*) {}
};

/// Calls `body(block)` in each thread of a block, and returns when all have returned.
template <class Body>
void run_block(std::uint32_t threads, Body body) {
  HostBlockTeam team(threads);
  std::vector<std::jthread> running;
  for (std::uint32_t rank = 0; rank < threads; ++rank) {
    running.emplace_back([&team, &body, rank] {
      HostBlock block(team, rank);
      body(block);
    });
  }
}

/// The same in one thread that is no block.
template <class Body>
void run_alone(Body body) {
  ThreadScope alone;
  body(alone);
}

/// A kernel, by its name in the registry or itself, on a block of its own.
class KernelRun {
 public:
  using Run = void (*)(HostBlock&, const StreamArgs&);

  KernelRun(std::string_view name, const StreamArgs& stream, std::uint32_t threads)
      : KernelRun(find_host_kernel(name)->run, stream, threads) {}
  template <class P>
  KernelRun(OwnProgram<P>, const StreamArgs& stream, std::uint32_t threads)
      : KernelRun(&run_program<P, HostBlock>, stream, threads) {}
  KernelRun(Run run, const StreamArgs& stream, std::uint32_t threads)
      : stream_(stream), team_(threads) {
    for (std::uint32_t rank = 0; rank < threads; ++rank) {
      threads_.emplace_back([this, run, rank] {
        HostBlock block(team_, rank);
        run(block, stream_);
      });
    }
  }
  ~KernelRun() { stop(); }

  void request_stop() { __atomic_store_n(&stream_.control->exit, 1U, __ATOMIC_RELAXED); }
  void join() { threads_.clear(); }
  void stop() {
    request_stop();
    join();
  }

 private:
  const StreamArgs stream_;
  HostBlockTeam team_;
  std::vector<std::jthread> threads_;
};

}  // namespace ringside::test
