// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Semaphores: rings of work items that a producer hands to a consumer and gets back. The ends are
// kernels, blocks of one, or a thread of the CPU.
//
//   SemaphoreProducer<Job, Reach::kDevice> jobs(handle);    // in one kernel
//   jobs.send(block, count, [&](std::uint32_t i) { return job_of(i); }, timeout_ns);
//
//   SemaphoreConsumer<Job, Reach::kDevice> jobs(handle);    // in another
//   const SemaphoreBatch batch = jobs.take(block, 32, timeout_ns);
//   for (auto i = block.rank(); i < batch.count; i += block.size()) {
//     work(jobs.item(batch.first + i));
//     jobs.done(batch.first + i);
//   }
//
// An item is free, then ready (posted), busy (taken), done or failed (finished), and the producer's
// again once it has collected it: in order, while the consumer may finish in any order. So what an
// item stands for, such as a packet's buffer, comes back to whom it belongs to.
//
// Each end has one owner: a thread, a warp or a block, all threads of which hold a copy of the
// object and make collective calls together. Several blocks have a ring each. Loads and stores
// only, no atomic read-modify-write, so that a ring may lie across PCIe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/device/impl/semaphore_ops.hpp"
#include "lib/device/target.hpp"
#include "lib/device/thread_scope.hpp"

namespace ringside {

enum class ItemState : std::uint32_t {
  kFree,    ///< not posted since the producer has collected what was there
  kReady,   ///< posted, not taken
  kDone,    ///< finished by the consumer
  kFailed,  ///< finished, and what was asked for has not happened
  kBusy,    ///< taken; no word in memory says so: it is ready, and before `taken`
};

enum class SemaphoreStatus : std::uint32_t {
  kOk,
  kLate,    ///< the time is over; nothing was done
  kClosed,  ///< the other end has closed
};

/// Written by one end each, so that the other, the CPU and the next kernel know. Zero at first.
struct SemaphoreWords {
  alignas(128) std::uint64_t posted;  ///< the producer's: items
  std::uint64_t collected;
  std::uint64_t producer_closed;     ///< not 0: no more is posted
  alignas(128) std::uint64_t taken;  ///< the consumer's: items
  std::uint64_t consumer_closed;     ///< not 0: no more is taken
};

/// Item n, counted from 0 in 64 bits, lies in place n mod depth. `states` holds a state and, above
/// it, which lap of the ring it is of, so that no word of a former lap is taken for one of now.
template <class Item>
struct SemaphoreHandle {
  static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= 128);
  Item* items;            ///< [depth]
  std::uint32_t* states;  ///< [depth] zero at first
  SemaphoreWords* words;
  std::uint32_t log_depth;
};

/// Bytes that a ring takes, in one piece aligned to 128 that is zero at first: GPU memory for
/// Reach::kDevice, memory that both reach (pinned on the host) for kSystem.
template <class Item>
constexpr std::size_t semaphore_bytes(std::uint32_t log_depth) {
  const std::size_t states = ((sizeof(std::uint32_t) << log_depth) + 127) / 128 * 128;
  return sizeof(SemaphoreWords) + states + (sizeof(Item) << log_depth);
}
/// The ring in this memory; `memory` as those will see it who use the handle.
template <class Item>
SemaphoreHandle<Item> semaphore_in(void* memory, std::uint32_t log_depth) {
  auto* const bytes = static_cast<std::uint8_t*>(memory);
  const std::size_t states = ((sizeof(std::uint32_t) << log_depth) + 127) / 128 * 128;
  return {reinterpret_cast<Item*>(bytes + sizeof(SemaphoreWords) + states),
          reinterpret_cast<std::uint32_t*>(bytes + sizeof(SemaphoreWords)),
          reinterpret_cast<SemaphoreWords*>(bytes), log_depth};
}

/// Items first to first + count - 1. kOk with at least one, unless `max` or the time was 0.
struct SemaphoreBatch {
  SemaphoreStatus status;
  std::uint64_t first;
  std::uint32_t count;
};

/// The state word of item n.
RS_DEVICE constexpr std::uint32_t state_word(std::uint64_t n, std::uint32_t log_depth,
                                             ItemState state) {
  return static_cast<std::uint32_t>(n >> log_depth) << 2 | static_cast<std::uint32_t>(state);
}

template <class Item, Reach kReach, class Ops = SemaphoreOps<kReach>>
class SemaphoreProducer {
 public:
  /// Goes on where the last one has ended.
  RS_DEVICE explicit SemaphoreProducer(const SemaphoreHandle<Item>& handle, Ops ops = {});

  RS_DEVICE std::uint32_t depth() const { return 1U << handle_.log_depth; }
  RS_DEVICE std::uint64_t posted() const { return posted_; }
  RS_DEVICE std::uint64_t collected() const { return collected_; }
  /// Items that can be written now. More come by collect() only.
  RS_DEVICE std::uint32_t room() const {
    return depth() - static_cast<std::uint32_t>(posted_ - collected_);
  }
  /// Would collect() find something? Any thread.
  RS_DEVICE bool ready() const { return is_finished(collected_); }
  /// The consumer takes nothing more, and what it has taken is finished, but for what it could not
  /// finish; items from taken() on are the producer's again. Any thread.
  RS_DEVICE bool closed() const { return ops_.load_acquire(&handle_.words->consumer_closed) != 0; }
  RS_DEVICE std::uint64_t taken() const { return ops_.load_relaxed(&handle_.words->taken); }

  /// Writes item number `i`, 0 to room() - 1, of those to be posted. Any thread; a barrier lies
  /// between collect() and it.
  RS_DEVICE void write(std::uint32_t i, const Item& item) const {
    ops_.write(&handle_.items[place(posted_ + i)], item);
  }
  /// Hands over the `count` items written. Collective; a barrier lies between the writes and it.
  template <Scope G>
  RS_DEVICE void post(G& group, std::uint32_t count);

  /// Writes and posts `count` items, 1 to depth(); item_of(i) makes one, in any thread, once.
  /// Where there is no room, waits for it for up to `timeout_ns` (0: not at all) by collecting what
  /// is finished, unseen: whoever cares for it collects before. kClosed is told by a wait only.
  /// Collective.
  template <Scope G, class ItemOf>
  RS_DEVICE SemaphoreStatus send(G& group, std::uint32_t count, ItemOf item_of,
                                 std::uint64_t timeout_ns);

  /// Takes back up to `max` items that are finished, in order, all of them or until the first that
  /// is not. Waits for one for up to `timeout_ns`. They may be read until they are written again.
  /// Collective; a barrier.
  template <Scope G>
  RS_DEVICE SemaphoreBatch collect(G& group, std::uint32_t max, std::uint64_t timeout_ns);
  /// A collected item, or one that was posted, which the consumer may be writing. Any thread.
  RS_DEVICE const Item& item(std::uint64_t n) const { return handle_.items[place(n)]; }
  /// Of an item that was collected: did the consumer say fail()? Any thread.
  RS_DEVICE bool failed(std::uint64_t n) const {
    return ops_.load_relaxed(&handle_.states[place(n)]) == word(n, ItemState::kFailed);
  }

  /// Posts nothing more: the consumer gets to know once it has taken all. Collective; a barrier.
  template <Scope G>
  RS_DEVICE void close(G& group);

  // collect() in parts, for loops in which some threads look and others post.

  /// How many items from `from` on are finished, without a gap, up to `max`. Collective; a barrier.
  template <Scope G>
  RS_DEVICE std::uint32_t count_finished(G& group, std::uint64_t from, std::uint32_t max) const;
  /// Those before `upto` are collected, and are not read any more. Collective, but no barrier.
  template <Scope G>
  RS_DEVICE void collect_upto(G& group, std::uint64_t upto);
  /// How far another thread, which took part, knows the ring to be.
  RS_DEVICE void join(std::uint64_t posted, std::uint64_t collected) {
    posted_ = posted;
    collected_ = collected;
  }

 private:
  RS_DEVICE std::uint32_t place(std::uint64_t n) const {
    return static_cast<std::uint32_t>(n) & (depth() - 1);
  }
  RS_DEVICE std::uint32_t word(std::uint64_t n, ItemState state) const {
    return state_word(n, handle_.log_depth, state);
  }
  RS_DEVICE bool is_finished(std::uint64_t n) const;
  /// Rank 0's wait: until all before `finished_upto` are finished.
  template <Scope G>
  RS_DEVICE SemaphoreStatus await(G& group, std::uint64_t finished_upto, std::uint64_t timeout_ns);

  SemaphoreHandle<Item> handle_;
  Ops ops_;
  std::uint64_t posted_;
  std::uint64_t collected_;
};

template <class Item, Reach kReach, class Ops = SemaphoreOps<kReach>>
class SemaphoreConsumer {
 public:
  /// Goes on where the last one has ended.
  RS_DEVICE explicit SemaphoreConsumer(const SemaphoreHandle<Item>& handle, Ops ops = {});

  RS_DEVICE std::uint32_t depth() const { return 1U << handle_.log_depth; }
  RS_DEVICE std::uint64_t taken() const { return taken_; }
  /// Would take() find something? Any thread.
  RS_DEVICE bool ready() const { return is_ready(taken_); }
  /// The producer posts nothing more; what it has posted is seen after this. Any thread.
  RS_DEVICE bool closed() const { return ops_.load_acquire(&handle_.words->producer_closed) != 0; }

  /// Takes up to `max` items that are ready, in order. Waits for one for up to `timeout_ns`.
  /// kClosed: the producer has closed, and all that it posted was taken. Collective; a barrier.
  template <Scope G>
  RS_DEVICE SemaphoreBatch take(G& group, std::uint32_t max, std::uint64_t timeout_ns);
  /// A taken item, until it is finished. It may be written: the producer reads it after.
  RS_DEVICE Item& item(std::uint64_t n) const { return handle_.items[place(n)]; }
  /// Finishes a taken item. Any thread, in any order; a barrier lies between what other threads did
  /// for the item and this. All of it is there for who collects the item.
  RS_DEVICE void done(std::uint64_t n) const { finish(n, ItemState::kDone); }
  RS_DEVICE void fail(std::uint64_t n) const { finish(n, ItemState::kFailed); }
  /// done() for the taken item that lies in this place: its own word says which one it is, to a
  /// thread that does not know how far the others have taken.
  RS_DEVICE void done_at(std::uint32_t place) const {
    const std::uint32_t lap = ops_.load_relaxed(&handle_.states[place]) & ~3U;
    ops_.store_release(&handle_.states[place], lap | static_cast<std::uint32_t>(ItemState::kDone));
  }

  /// Takes nothing more; what was taken is finished before, or never will be. Collective; a
  /// barrier.
  template <Scope G>
  RS_DEVICE void close(G& group);

  /// How far another thread, which took part, knows the ring to be.
  RS_DEVICE void join(std::uint64_t taken) { taken_ = taken; }

 private:
  RS_DEVICE std::uint32_t place(std::uint64_t n) const {
    return static_cast<std::uint32_t>(n) & (depth() - 1);
  }
  RS_DEVICE bool is_ready(std::uint64_t n) const;
  RS_DEVICE void finish(std::uint64_t n, ItemState state) const;
  /// Rank 0's wait in take().
  template <Scope G>
  RS_DEVICE SemaphoreStatus await(G& group, std::uint64_t timeout_ns) const;

  SemaphoreHandle<Item> handle_;
  Ops ops_;
  std::uint64_t taken_;
};

/// What an onlooker, of the CPU for instance, sees of item n, which was posted: it may change at
/// any time. kFree: it was collected, and its place may be used again.
template <Reach kReach, class Item>
RS_DEVICE ItemState item_state(const SemaphoreHandle<Item>& handle, std::uint64_t n);

}  // namespace ringside

#include "lib/device/impl/semaphore.hpp"
