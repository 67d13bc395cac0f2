// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/semaphore.hpp
//
// Two pairs hold it together, item by item:
//  - the producer's release of kReady meets the consumer's acquire in is_ready(): the item's bytes,
//    and all that it stands for, are there. Whoever wrote them did so before a barrier of the
//    producer, and whoever reads them does so after one of the consumer, in post() and take().
//  - the consumer's release of kDone or kFailed meets the producer's acquire in is_finished(): the
//    consumer has ended with the item, and the producer may write it again, and what it stands for.
// A state word has one writer at a time: the producer from the collection on until kReady, then the
// consumer. `taken`, `posted` and `collected` order nothing but by the words that close an end.
#pragma once

#include "lib/device/impl/attempt.hpp"
#include "lib/device/semaphore.hpp"

namespace ringside {

template <class Item, Reach kReach, class Ops>
RS_DEVICE SemaphoreProducer<Item, kReach, Ops>::SemaphoreProducer(
    const SemaphoreHandle<Item>& handle, Ops ops)
    : handle_(handle),
      ops_(ops),
      posted_(ops.load_relaxed(&handle.words->posted)),
      collected_(ops.load_relaxed(&handle.words->collected)) {}

template <class Item, Reach kReach, class Ops>
RS_DEVICE bool SemaphoreProducer<Item, kReach, Ops>::is_finished(std::uint64_t n) const {
  // What lies there of an item not yet posted is of a lap before.
  const std::uint32_t seen = ops_.load_acquire(&handle_.states[place(n)]);
  return seen == word(n, ItemState::kDone) || seen == word(n, ItemState::kFailed);
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE void SemaphoreProducer<Item, kReach, Ops>::post(G& group, std::uint32_t count) {
  for (std::uint32_t i = group.rank(); i < count; i += group.size()) {
    ops_.store_release(&handle_.states[place(posted_ + i)], word(posted_ + i, ItemState::kReady));
  }
  posted_ += count;
  if (group.rank() == 0) ops_.store_relaxed(&handle_.words->posted, posted_);
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE SemaphoreStatus SemaphoreProducer<Item, kReach, Ops>::await(G& group,
                                                                      std::uint64_t finished_upto,
                                                                      std::uint64_t timeout_ns) {
  std::uint64_t from = collected_;
  bool over = false;
  attempt_until(group, timeout_ns, [&] {
    while (from < finished_upto && is_finished(from)) ++from;
    if (from == finished_upto) return true;
    over = closed();
    if (!over) return false;
    // One more look: what was finished before the end is seen now.
    while (from < finished_upto && is_finished(from)) ++from;
    return true;
  });
  if (from == finished_upto) return SemaphoreStatus::kOk;
  return over ? SemaphoreStatus::kClosed : SemaphoreStatus::kLate;
}

template <class Item, Reach kReach, class Ops>
template <Scope G, class ItemOf>
RS_DEVICE SemaphoreStatus SemaphoreProducer<Item, kReach, Ops>::send(G& group, std::uint32_t count,
                                                                     ItemOf item_of,
                                                                     std::uint64_t timeout_ns) {
  if (count > depth()) return SemaphoreStatus::kLate;
  if (count > room()) {
    const std::uint64_t upto = posted_ + count - depth();
    SemaphoreStatus status = SemaphoreStatus::kOk;
    if (group.rank() == 0) status = await(group, upto, timeout_ns);
    // The barrier hands on what rank 0 acquired: any thread may write the places that are free.
    status = group.broadcast(status);
    if (status != SemaphoreStatus::kOk) return status;
    collect_upto(group, upto);
  }
  for (std::uint32_t i = group.rank(); i < count; i += group.size()) write(i, item_of(i));
  group.sync();
  post(group, count);
  return SemaphoreStatus::kOk;
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE std::uint32_t SemaphoreProducer<Item, kReach, Ops>::count_finished(
    G& group, std::uint64_t from, std::uint32_t max) const {
  const auto posted = static_cast<std::uint32_t>(posted_ - from);
  if (max > posted) max = posted;
  std::uint32_t i = group.rank();
  while (i < max && is_finished(from + i)) i += group.size();
  return group.min(i < max ? i : max);
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE void SemaphoreProducer<Item, kReach, Ops>::collect_upto(G& group, std::uint64_t upto) {
  collected_ = upto;
  if (group.rank() == 0) ops_.store_relaxed(&handle_.words->collected, upto);
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE SemaphoreBatch SemaphoreProducer<Item, kReach, Ops>::collect(G& group, std::uint32_t max,
                                                                       std::uint64_t timeout_ns) {
  SemaphoreStatus status = SemaphoreStatus::kOk;
  if (timeout_ns != 0 && max != 0) {
    if (group.rank() == 0) status = await(group, collected_ + 1, timeout_ns);
    status = group.broadcast(status);
  }
  SemaphoreBatch batch{status, collected_, 0};
  if (status != SemaphoreStatus::kOk) return batch;
  batch.count = count_finished(group, collected_, max);
  collect_upto(group, collected_ + batch.count);
  return batch;
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE void SemaphoreProducer<Item, kReach, Ops>::close(G& group) {
  group.sync();  // all have posted
  // Release: who sees it, and then looks for items, sees all there are.
  if (group.rank() == 0) ops_.store_release(&handle_.words->producer_closed, std::uint64_t{1});
}

template <class Item, Reach kReach, class Ops>
RS_DEVICE SemaphoreConsumer<Item, kReach, Ops>::SemaphoreConsumer(
    const SemaphoreHandle<Item>& handle, Ops ops)
    : handle_(handle), ops_(ops), taken_(ops.load_relaxed(&handle.words->taken)) {}

template <class Item, Reach kReach, class Ops>
RS_DEVICE bool SemaphoreConsumer<Item, kReach, Ops>::is_ready(std::uint64_t n) const {
  return ops_.load_acquire(&handle_.states[place(n)]) ==
         state_word(n, handle_.log_depth, ItemState::kReady);
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE SemaphoreStatus
SemaphoreConsumer<Item, kReach, Ops>::await(G& group, std::uint64_t timeout_ns) const {
  bool found = false;
  bool over = false;
  attempt_until(group, timeout_ns, [&] {
    found = ready();
    if (found) return true;
    over = closed();
    if (over) found = ready();  // one more look: what was posted before the end is seen now
    return over;
  });
  if (found) return SemaphoreStatus::kOk;
  return over ? SemaphoreStatus::kClosed : SemaphoreStatus::kLate;
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE SemaphoreBatch SemaphoreConsumer<Item, kReach, Ops>::take(G& group, std::uint32_t max,
                                                                    std::uint64_t timeout_ns) {
  SemaphoreStatus status = SemaphoreStatus::kOk;
  if (timeout_ns != 0 && max != 0) {
    if (group.rank() == 0) status = await(group, timeout_ns);
    status = group.broadcast(status);
  }
  SemaphoreBatch batch{status, taken_, 0};
  if (status != SemaphoreStatus::kOk) return batch;
  if (max > depth()) max = depth();
  std::uint32_t i = group.rank();
  while (i < max && is_ready(taken_ + i)) i += group.size();
  // The barrier hands on what each thread acquired: any of them may read any of the items.
  batch.count = group.min(i < max ? i : max);
  taken_ += batch.count;
  if (group.rank() == 0 && batch.count != 0) ops_.store_relaxed(&handle_.words->taken, taken_);
  return batch;
}

template <class Item, Reach kReach, class Ops>
RS_DEVICE void SemaphoreConsumer<Item, kReach, Ops>::finish(std::uint64_t n,
                                                            ItemState state) const {
  ops_.store_release(&handle_.states[place(n)], state_word(n, handle_.log_depth, state));
}

template <class Item, Reach kReach, class Ops>
template <Scope G>
RS_DEVICE void SemaphoreConsumer<Item, kReach, Ops>::close(G& group) {
  group.sync();  // all have finished theirs
  // Release: who sees it sees `taken` and all that was finished.
  if (group.rank() == 0) ops_.store_release(&handle_.words->consumer_closed, std::uint64_t{1});
}

template <Reach kReach, class Item>
RS_DEVICE ItemState item_state(const SemaphoreHandle<Item>& handle, std::uint64_t n) {
  const SemaphoreOps<kReach> ops;
  // The counts first: what they say of the item was so when its state is read.
  const bool collected = n < ops.load_acquire(&handle.words->collected);
  const bool taken = n < ops.load_acquire(&handle.words->taken);
  const std::uint32_t place = static_cast<std::uint32_t>(n) & ((1U << handle.log_depth) - 1);
  const std::uint32_t seen = ops.load_acquire(&handle.states[place]);
  if (collected || seen >> 2 != state_word(n, handle.log_depth, ItemState::kFree) >> 2) {
    return ItemState::kFree;
  }
  const auto state = static_cast<ItemState>(seen & 3U);
  return state == ItemState::kReady && taken ? ItemState::kBusy : state;
}

}  // namespace ringside
