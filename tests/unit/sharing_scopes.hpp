// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What scopes that share a send queue do in tests, the same on host threads and on a GPU: lanes of
// a warp that call together, and come apart, are a GPU's only. tests/unit/sharing_run.hpp runs
// them.
#pragma once

#include <cstdint>

#include "lib/device/counted.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/send_queue.hpp"
#include "tests/unit/wait.hpp"

namespace ringside::test {

/// How many packets scopes send in one call.
enum class Counts : std::uint32_t {
  kAlike,    ///< all the same
  kUnlike,   ///< neighbours never the same
  kSomeNone  ///< some of them the same and others none at all; odd ones send in steps
};

enum class Doing : std::uint32_t { kBegins, kSends, kPolls, kAwaits, kDone };

/// What a scope tells of itself, in memory that both it and the test reach.
struct alignas(64) ScopeReport {
  std::uint32_t doing;  ///< a Doing
  std::uint32_t call;   ///< the number of the call that it is at
  std::uint32_t sent;   ///< packets
  std::uint32_t taken;  ///< CQEs
  std::uint32_t wrong;  ///< 0, or the line of this file where it found something wrong
};

struct SharingOrders {
  const std::uint64_t* buffers;  ///< one a scope, which names it
  ScopeReport* reports;          ///< one a scope
  const std::uint32_t* go;       ///< not 0: what kAwaits awaits has come
  Counts counts;
  std::uint32_t calls;  ///< of each scope
  std::uint32_t depth;  ///< of the ring
  std::uint32_t scopes;

  /// Packets of a scope differ by their length: this is number i's.
  static constexpr std::uint32_t kLengths = 200;
  RS_DEVICE static std::uint32_t length(std::uint32_t i) { return 20 + i % kLengths; }
  /// Of a scope's call; half of the shallowest ring at most.
  RS_DEVICE std::uint32_t count(std::uint32_t number, std::uint32_t call) const {
    switch (counts) {
      case Counts::kAlike:
        return 1 + call % 4;
      case Counts::kUnlike:
        return 1 + (call * 7 + number * 3) % 8;
      case Counts::kSomeNone:
        break;
    }
    return (number * 5 + call) % 3;
  }
};

/// A scope at its orders, as the test is to see it.
template <Scope S>
class Ordered {
 public:
  RS_DEVICE Ordered(std::uint32_t number, S& scope, const SharingOrders& orders)
      : scope_(scope), report_(orders.reports[number]), buffer_(orders.buffers[number]) {}

  RS_DEVICE void at(Doing doing, std::uint32_t call = 0) {
    if (scope_.rank() != 0) return;
    store_relaxed_system(&report_.call, call);
    store_release_system(&report_.doing, static_cast<std::uint32_t>(doing));
  }
  /// In any thread: a scope may go on without those that return.
  RS_DEVICE bool expect(bool right, std::uint32_t line) {
    if (!right) store_relaxed_system(&report_.wrong, line);
    return right;
  }
  RS_DEVICE void sent(std::uint32_t packets) {
    sent_ += packets;
    if (scope_.rank() == 0) store_release_system(&report_.sent, sent_);
  }
  RS_DEVICE void taken() {
    if (scope_.rank() == 0) store_relaxed_system(&report_.taken, ++taken_);
  }
  RS_DEVICE TxPacket packet(std::uint32_t i) const {
    return {buffer_, SharingOrders::length(sent_ + i)};
  }
  /// false, in all threads: it has not come.
  template <class Ready>
  RS_DEVICE bool await(Ready ready) {
    bool came = false;
    if (scope_.rank() == 0) {
      const std::uint64_t begin = scope_.now_ns();
      scope_.poll_until([&] { return (came = ready()) || scope_.now_ns() - begin > kPatienceNs; });
    }
    return scope_.broadcast(came);
  }

 private:
  static constexpr std::uint64_t kPatienceNs = kPatienceMs * 1'000'000;
  S& scope_;
  ScopeReport& report_;
  const std::uint64_t buffer_;
  std::uint32_t sent_ = 0;
  std::uint32_t taken_ = 0;
};
#define RS_EXPECT(condition) ordered.expect(condition, __LINE__)

template <class Queue>
RS_DEVICE auto& uncounted(Queue& queue) {
  if constexpr (requires { queue.queue(); }) {
    return queue.queue();
  } else {
    return queue;
  }
}

/// All that it is ordered, some of it awaited.
struct SendsInTurn {
  static constexpr bool kCounts = false;
  template <Scope S, class Queue>
  static RS_DEVICE void run(std::uint32_t number, S& scope, Queue& queue,
                            const SharingOrders& orders) {
    Ordered<S> ordered(number, scope, orders);
    const auto packet = [&](std::uint32_t i) { return ordered.packet(i); };
    for (std::uint32_t call = 0; call < orders.calls; ++call) {
      const std::uint32_t count = orders.count(number, call);
      if (count == 0) continue;
      const TxNotify notify = call % 3 == 0 ? TxNotify::last() : TxNotify::none();
      ordered.at(Doing::kSends, call);
      TxBatch batch(TxStatus::kFull);
      if (orders.counts == Counts::kSomeNone && number % 2 != 0) {
        batch = queue.reserve(scope, count, kEver, notify);
        if (!RS_EXPECT(batch.status == TxStatus::kOk)) return;
        for (std::uint32_t i = scope.rank(); i < count; i += scope.size()) {
          queue.write(batch, i, packet(i));
        }
        queue.commit(scope, batch);
      } else {
        batch = queue.send(scope, count, packet, kEver, notify);
        if (!RS_EXPECT(batch.status == TxStatus::kOk)) return;
      }
      ordered.sent(count);
      if (call % 6 == 0) {
        ordered.at(Doing::kPolls, call);
        const TxStatus status = uncounted(queue).poll_at(scope, batch.ticket(), kEver);
        if (!RS_EXPECT(status == TxStatus::kOk)) return;
      }
    }
  }
};

/// The same by a queue that counts.
struct CountsItsSends : SendsInTurn {
  static constexpr bool kCounts = true;
};

/// One packet a call, until there is no room.
struct FillsTheRing {
  static constexpr bool kCounts = false;
  template <Scope S, class Queue>
  static RS_DEVICE void run(std::uint32_t number, S& scope, Queue& queue,
                            const SharingOrders& orders) {
    constexpr std::uint64_t kWaitNs = 20'000'000;
    Ordered<S> ordered(number, scope, orders);
    const auto packet = [&](std::uint32_t i) { return ordered.packet(i); };
    for (std::uint32_t call = 0; call <= orders.depth; ++call) {
      ordered.at(Doing::kSends, call);
      const TxStatus status = queue.send(scope, 1, packet, kWaitNs).status;
      if (status != TxStatus::kOk) {
        RS_EXPECT(status == TxStatus::kFull);
        return;
      }
      ordered.sent(1);
    }
    RS_EXPECT(false);
  }
};

/// A few fill the ring together; when the test says go, it has stopped.
struct SendsUntilItStops {
  static constexpr bool kCounts = false;
  static constexpr std::uint8_t kSyndrome = 0x02;
  RS_DEVICE static std::uint32_t fillers(const SharingOrders& orders) {
    return orders.scopes < 4 ? orders.scopes : 4;
  }

  template <Scope S, class Queue>
  static RS_DEVICE void run(std::uint32_t number, S& scope, Queue& queue,
                            const SharingOrders& orders) {
    Ordered<S> ordered(number, scope, orders);
    const auto packet = [&](std::uint32_t i) { return ordered.packet(i); };
    if (number < fillers(orders)) {
      const std::uint32_t count = orders.depth / fillers(orders);
      ordered.at(Doing::kSends);
      if (!RS_EXPECT(queue.send(scope, count, packet, kEver).status == TxStatus::kOk)) return;
      scope.sync();  // the last rank has rung
      ordered.sent(count);
    }
    ordered.at(Doing::kAwaits);
    if (!RS_EXPECT(ordered.await([&] { return load_acquire_system(orders.go) != 0; }))) return;
    ordered.at(Doing::kSends, 1);
    RS_EXPECT(queue.send(scope, orders.depth, packet, kEver).status == TxStatus::kStopped);
    RS_EXPECT(queue.stop_error().syndrome == kSyndrome);
  }
};

/// The first fills the ring with packets that each ask for a CQE, and all take these.
struct TakesCqes {
  static constexpr bool kCounts = false;
  template <Scope S, class Queue>
  static RS_DEVICE void run(std::uint32_t number, S& scope, Queue& queue,
                            const SharingOrders& orders) {
    constexpr std::uint64_t kWaitNs = 1'000'000;
    Ordered<S> ordered(number, scope, orders);
    const auto packet = [&](std::uint32_t i) { return ordered.packet(i); };
    if (number == 0) {
      for (std::uint32_t call = 0; call < orders.depth; ++call) {
        ordered.at(Doing::kSends, call);
        if (!RS_EXPECT(queue.send(scope, 1, packet, 0).status == TxStatus::kOk)) return;
        ordered.sent(1);
      }
    }
    const std::uint64_t begin = scope.now_ns();
    ordered.at(Doing::kPolls);
    while (scope.broadcast(queue.completed()) < orders.depth) {
      const bool passed = scope.now_ns() - begin > kPatienceMs * 1'000'000;
      if (!RS_EXPECT(!scope.broadcast(passed))) return;
      if (queue.poll_one(scope, kWaitNs) == TxStatus::kOk) ordered.taken();
    }
  }
};

#undef RS_EXPECT

/// What a thread of a scope does; the tally is its block's.
template <class What, Sharing kSharing, Scope S>
RS_DEVICE void run_in_scope(std::uint32_t number, S& scope, ringside::QueueTally& tally,
                            const SendQueueHandle<kSharing>& handle, const SharingOrders& orders) {
  if constexpr (What::kCounts) {
    ringside::CountedSendQueue<kSharing> queue(handle, tally);
    What::run(number, scope, queue, orders);
  } else {
    SendQueue<kSharing> queue(handle);
    What::run(number, scope, queue, orders);
  }
  scope.sync();
  Ordered<S>(number, scope, orders).at(Doing::kDone);
}

}  // namespace ringside::test
