// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Who makes a call: one thread (ThreadScope), a warp (CudaWarp) or a block (CudaBlock), by the type
// of what is passed. On the CPU a warp and a block are both a HostBlock; every Block is a scope.
// Calls that take a scope are collective: all its threads make them, in the same order and with the
// same arguments.
#pragma once

#include <concepts>
#include <cstdint>

namespace ringside {

/// What a collective call needs of its threads.
template <class S>
concept Scope = requires(S scope, std::uint32_t value, bool (*ready)()) {
  { scope.rank() } -> std::same_as<std::uint32_t>;  // 0 to size() - 1
  { scope.size() } -> std::same_as<std::uint32_t>;
  { scope.now_ns() } -> std::same_as<std::uint64_t>;  // of a clock that never goes back
  scope.poll_until(ready);                            // any thread, alone: until ready() says so
  // Barriers, after which what any of the threads wrote before is visible to all.
  scope.sync();
  { scope.broadcast(value) } -> std::same_as<std::uint32_t>;  // rank 0's value, any trivial type
  { scope.min(value) } -> std::same_as<std::uint32_t>;
};

}  // namespace ringside
