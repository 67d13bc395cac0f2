// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block: the threads that serve one stream together. A CUDA thread block is one (CudaBlock), so
// are one or several host threads (HostBlock); whatever has at most 32 threads serves as a warp.
//
// Everything from any() on is collective: all threads call it, in the same order, and it is a
// barrier, after which what any of them wrote before is visible to all.
//
// A block has parts, blocks too, that work side by side where they are different ones: the front
// and the back, as quick among themselves as the machine allows (the first and the last warp), the
// workers, all but the back, and the ringer (the last warp but one, of two warps the last). Where
// it has only one warp, or is made of host threads, all four are the block.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/device/cqe_tail.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/target.hpp"

namespace ringside {

/// Bytes that a block can broadcast, and 8-byte values that it can sum, at once.
inline constexpr std::size_t kBroadcastBytes = 64;
inline constexpr std::size_t kSumValues = kBroadcastBytes / sizeof(std::uint64_t);

template <class B>
concept Block = Scope<B> &&
    requires(B block, std::uint32_t count, std::uint32_t& total, bool predicate, bool (*ready)(),
             const Cqe* cqe, CqeTail& tail, bool (*there)(std::uint8_t),
             std::uint64_t (&values)[kSumValues]) {
  // A pass found nothing to do. Rank 0 may wait until ready() says that there is something, while
  // the others wait for it at the next barrier.
  block.idle(ready);

  // Looks at a CQE; true: `tail` is what it says. Where kLookThreads is more than 1, so many
  // neighbours look together and one of them gets to know it, and all threads of a warp come, some
  // perhaps with nullptr.
  { block.look(cqe, tail) } -> std::same_as<bool>;
  // The same, and a block that has nothing better to do may look again, a few times, until
  // there(op_own) is true for a CQE.
  { block.await(cqe, there, tail) } -> std::same_as<bool>;
  { B::kLookThreads } -> std::convertible_to<std::uint32_t>;
  // The block's one object of a trivial type, its content not defined at first.
  { block.template shared<std::uint64_t>() } -> std::same_as<std::uint64_t&>;

  { block.any(predicate) } -> std::same_as<bool>;
  { block.all(predicate) } -> std::same_as<bool>;
  // The sum of the counts of all lower ranks; `total` becomes that of all ranks.
  { block.exclusive_scan(count, total) } -> std::same_as<std::uint32_t>;
  block.sum(values);  // each value becomes its sum over all ranks; any array of up to kSumValues
};

/// A block with its parts.
template <class B>
concept WholeBlock = Block<B> && requires(B block) {
  requires Block<std::remove_reference_t<decltype(block.front())>>;
  requires Block<std::remove_reference_t<decltype(block.workers())>>;
  requires Block<std::remove_reference_t<decltype(block.back())>>;
  requires Block<std::remove_reference_t<decltype(block.ringer())>>;
  { block.in_front() } -> std::same_as<bool>;
  { block.in_workers() } -> std::same_as<bool>;
  { block.in_back() } -> std::same_as<bool>;
  { block.in_ringer() } -> std::same_as<bool>;
  // Is the ringer neither in the front nor in the back? The same as long as the block lives.
  { block.ringer_is_apart() } -> std::same_as<bool>;
  // May parts be different threads?
  { B::kHasParts } -> std::convertible_to<bool>;
};

/// How many of the indices 0 to limit - 1 satisfy `predicate` before the first one that does not.
/// Each thread asks about its own: rank, rank + size, ... Collective.
template <Block B, class Predicate>
RS_DEVICE std::uint32_t block_prefix(B& block, std::uint32_t limit, Predicate predicate) {
  std::uint32_t index = block.rank();
  RS_NOT_UNROLLED
  while (index < limit && predicate(index)) index += block.size();
  return block.min(index < limit ? index : limit);
}

}  // namespace ringside
