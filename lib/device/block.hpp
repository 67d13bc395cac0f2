// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block: the threads that serve one stream together. A CUDA thread block is one (CudaBlock), so
// are one or several host threads (HostBlock); whatever has at most 32 threads serves as a warp.
//
// rank, size, now_ns, idle, await, look and shared stand alone. Everything else is collective: all
// threads call it, in the same order, and it is a barrier, after which what any of them wrote before
// is visible to all.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "lib/device/cqe_tail.hpp"
#include "lib/device/target.hpp"

namespace ringside {

/// Bytes that a block can broadcast, and 8-byte values that it can sum, at once.
inline constexpr std::size_t kBroadcastBytes = 64;
inline constexpr std::size_t kSumValues = kBroadcastBytes / sizeof(std::uint64_t);

template <class B>
concept Block = requires(B block, std::uint32_t count, std::uint32_t& total, bool predicate,
                         bool (*ready)(), const Cqe* cqe, std::uint64_t (&values)[kSumValues]) {
  { block.rank() } -> std::same_as<std::uint32_t>;  // 0 to size() - 1
  { block.size() } -> std::same_as<std::uint32_t>;
  { block.now_ns() } -> std::same_as<std::uint64_t>;  // of a clock that never goes back
  // A pass found nothing to do. Rank 0 may wait until ready() says that there is something, while
  // the others wait for it at the next barrier.
  block.idle(ready);
  block.await(ready);  // any thread, alone: until ready() says so

  // Looks at a CQE, together with the kLookThreads - 1 ranks after or before, whose ranks divided
  // by kLookThreads are the same: they come at the same time with the same CQE, and all get what it
  // says. A block whose looks go together looks no further than kFirstLook CQEs ahead while there
  // is little traffic, since each look has its price.
  { block.look(cqe) } -> std::same_as<CqeTail>;
  { B::kLookThreads } -> std::convertible_to<std::uint32_t>;
  { B::kFirstLook } -> std::convertible_to<std::uint32_t>;
  // The block's one object of a trivial type, its content not defined at first.
  { block.template shared<std::uint64_t>() } -> std::same_as<std::uint64_t&>;

  block.sync();
  { block.broadcast(count) } -> std::same_as<std::uint32_t>;  // rank 0's value, any trivial type
  { block.any(predicate) } -> std::same_as<bool>;
  { block.all(predicate) } -> std::same_as<bool>;
  { block.min(count) } -> std::same_as<std::uint32_t>;
  // The sum of the counts of all lower ranks; `total` becomes that of all ranks.
  { block.exclusive_scan(count, total) } -> std::same_as<std::uint32_t>;
  block.sum(values);  // each value becomes its sum over all ranks; any array of up to kSumValues
};

/// How many of the indices 0 to limit - 1 satisfy `predicate` before the first one that does not.
/// Each thread asks about its own: rank, rank + size, ... Collective.
template <Block B, class Predicate>
RS_DEVICE std::uint32_t block_prefix(B& block, std::uint32_t limit, Predicate predicate) {
  std::uint32_t index = block.rank();
  while (index < limit && predicate(index)) index += block.size();
  return block.min(index < limit ? index : limit);
}

}  // namespace ringside
