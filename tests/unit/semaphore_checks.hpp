// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What blocks that have the ends of a semaphore check: see tests/unit/block_checks.hpp.
#pragma once

#include <cstdint>

#include "lib/device/semaphore.hpp"
#include "tests/unit/block_checks.hpp"
#include "tests/unit/wait.hpp"

namespace ringside::test {

struct Job {
  std::uint64_t number;
  std::uint64_t answer;
};

struct SemaphoreOrders {
  SemaphoreHandle<Job> rings[3];
  std::uint64_t start;  ///< how many items went by before
  std::uint64_t count;  ///< and go by now
};

#define RS_EQUAL(is, right) ends.checker.equal(is, right, __LINE__)

/// What both ends of a ring of one device have in common.
template <Block B>
struct Ends {
  using Producer = SemaphoreProducer<Job, Reach::kDevice>;
  using Consumer = SemaphoreConsumer<Job, Reach::kDevice>;
  static constexpr std::uint64_t kMs = 1'000'000;

  B& block;
  Checker<B>& checker;
  const SemaphoreOrders& orders = checker.template orders<SemaphoreOrders>();

  template <class P>
  RS_DEVICE SemaphoreStatus send(P& producer, std::uint32_t count, std::uint64_t timeout_ns) {
    const std::uint64_t first = producer.posted();
    return producer.send(
        block, count,
        [first](std::uint32_t i) {
          return Job{first + i, 0};
        },
        timeout_ns);
  }
  /// Takes until `upto` and answers each by its square; the order is that of their numbers.
  template <class C>
  RS_DEVICE void serve(C& consumer, std::uint64_t upto, std::uint32_t most) {
    Ends& ends = *this;
    while (consumer.taken() < upto) {
      const SemaphoreBatch batch = consumer.take(block, most, kEver);
      RS_EQUAL(batch.status, SemaphoreStatus::kOk);
      if (batch.status != SemaphoreStatus::kOk) return;
      for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
        Job& job = consumer.item(batch.first + i);
        RS_EQUAL(job.number, batch.first + i);
        job.answer = job.number * job.number;
        consumer.done(batch.first + i);
      }
    }
  }
  /// By one thread, with what all did before and after it.
  RS_DEVICE void finish(Consumer& consumer, std::uint64_t n, bool well) {
    block.sync();
    if (block.rank() == 0 && well) consumer.done(n);
    if (block.rank() == 0 && !well) consumer.fail(n);
    block.sync();
  }
};

/// A check of blocks: the first produces, the second consumes.
template <class What>
struct OfTwoEnds {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    Ends<B> ends{block, checker};
    const SemaphoreHandle<Job>& ring = ends.orders.rings[0];
    if (checker.number() == 0) {
      typename Ends<B>::Producer producer(ring);
      What::produce(ends, producer);
    } else {
      typename Ends<B>::Consumer consumer(ring);
      What::consume(ends, consumer);
    }
  }
};
/// A check of one block that has both ends.
template <class What>
struct OfOneBlock {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    Ends<B> ends{block, checker};
    typename Ends<B>::Producer producer(ends.orders.rings[0]);
    typename Ends<B>::Consumer consumer(ends.orders.rings[0]);
    What::run(ends, producer, consumer);
  }
};

struct EachItemComesBackInOrder {
  template <class E>
  static RS_DEVICE void produce(E& ends, typename E::Producer& producer) {
    while (producer.collected() < ends.orders.count) {
      const std::uint64_t left = ends.orders.count - producer.posted();
      std::uint32_t posts = producer.room() < 5 ? producer.room() : 5;
      if (left < posts) posts = static_cast<std::uint32_t>(left);
      if (posts != 0) RS_EQUAL(ends.send(producer, posts, 0), SemaphoreStatus::kOk);
      const SemaphoreBatch back = producer.collect(ends.block, 16, posts == 0 ? kEver : 0);
      RS_EQUAL(back.status, SemaphoreStatus::kOk);
      if (back.status != SemaphoreStatus::kOk) return;
      for (std::uint32_t i = ends.block.rank(); i < back.count; i += ends.block.size()) {
        const Job& job = producer.item(back.first + i);
        RS_EQUAL(job.number, back.first + i);
        RS_EQUAL(job.answer, job.number * job.number);
        RS_EQUAL(producer.failed(back.first + i), false);
      }
      ends.block.sync();  // read, before they are written again
    }
  }
  template <class E>
  static RS_DEVICE void consume(E& ends, typename E::Consumer& consumer) {
    ends.serve(consumer, ends.orders.count, 7);
  }
};

struct ASendWaitsForASlowConsumer {
  template <class E>
  static RS_DEVICE void produce(E& ends, typename E::Producer& producer) {
    while (producer.posted() < ends.orders.count) {
      const SemaphoreStatus status = ends.send(producer, 4, kEver);
      RS_EQUAL(status, SemaphoreStatus::kOk);
      if (status != SemaphoreStatus::kOk) return;
    }
  }
  template <class E>
  static RS_DEVICE void consume(E& ends, typename E::Consumer& consumer) {
    ends.serve(consumer, ends.orders.count, 1);
  }
};

struct ItemsFinishedInAnyOrderComeBackInTheirs {
  template <class E>
  static RS_DEVICE void run(E& ends, typename E::Producer& producer,
                            typename E::Consumer& consumer) {
    RS_EQUAL(ends.send(producer, 4, 0), SemaphoreStatus::kOk);
    ends.block.sync();
    RS_EQUAL(consumer.take(ends.block, 8, 0).count, 4U);
    ends.finish(consumer, 1, false);
    ends.finish(consumer, 3, true);
    RS_EQUAL(producer.collect(ends.block, 8, 0).count, 0U);
    ends.finish(consumer, 0, true);
    RS_EQUAL(producer.collect(ends.block, 8, 0).count, 2U);
    RS_EQUAL(producer.failed(0), false);
    RS_EQUAL(producer.failed(1), true);
    RS_EQUAL(producer.room(), 6U);
    ends.finish(consumer, 2, true);
    RS_EQUAL(producer.collect(ends.block, 1, 0).count, 1U);
    RS_EQUAL(producer.collect(ends.block, 8, 0).first, 3U);
    RS_EQUAL(producer.room(), 8U);
  }
};

struct AWaitEndsAtItsDeadline {
  template <class E>
  static RS_DEVICE void run(E& ends, typename E::Producer& producer,
                            typename E::Consumer& consumer) {
    const std::uint64_t start = ends.block.now_ns();
    RS_EQUAL(consumer.take(ends.block, 4, 10 * E::kMs).status, SemaphoreStatus::kLate);
    RS_EQUAL(producer.collect(ends.block, 4, 10 * E::kMs).status, SemaphoreStatus::kLate);
    RS_EQUAL(ends.send(producer, 3, 0), SemaphoreStatus::kOk);
    RS_EQUAL(ends.send(producer, 2, 10 * E::kMs), SemaphoreStatus::kLate);
    RS_EQUAL(ends.send(producer, 2, 0), SemaphoreStatus::kLate);
    RS_EQUAL(ends.send(producer, 5, kEver), SemaphoreStatus::kLate);
    if (ends.block.rank() == 0) RS_EQUAL(ends.block.now_ns() - start >= 30 * E::kMs, true);
    ends.block.sync();
    RS_EQUAL(consumer.take(ends.block, 4, kEver).count, 3U);
    RS_EQUAL(consumer.take(ends.block, 4, 0).count, 0U);
    RS_EQUAL(producer.room(), 1U);
  }
};

struct AProducerThatClosesIsHeardOfBehindItsLastItem {
  template <class E>
  static RS_DEVICE void produce(E& ends, typename E::Producer& producer) {
    for (int i = 0; i < 10; ++i) RS_EQUAL(ends.send(producer, 3, kEver), SemaphoreStatus::kOk);
    producer.close(ends.block);
  }
  template <class E>
  static RS_DEVICE void consume(E& ends, typename E::Consumer& consumer) {
    ends.serve(consumer, 30, 8);
    RS_EQUAL(consumer.take(ends.block, 8, kEver).status, SemaphoreStatus::kClosed);
    RS_EQUAL(consumer.closed(), true);
  }
};

struct AConsumerThatClosesEndsTheWaits {
  template <class E>
  static RS_DEVICE void produce(E& ends, typename E::Producer& producer) {
    SemaphoreStatus status = SemaphoreStatus::kOk;
    while (status == SemaphoreStatus::kOk) status = ends.send(producer, 2, kEver);
    RS_EQUAL(status, SemaphoreStatus::kClosed);
    RS_EQUAL(producer.closed(), true);
    RS_EQUAL(producer.taken(), 5U);
    RS_EQUAL(producer.posted(), 12U);
    const SemaphoreBatch back = producer.collect(ends.block, 8, kEver);
    RS_EQUAL(back.first + back.count, 5U);
    RS_EQUAL(producer.collect(ends.block, 8, kEver).status, SemaphoreStatus::kClosed);
  }
  template <class E>
  static RS_DEVICE void consume(E& ends, typename E::Consumer& consumer) {
    ends.serve(consumer, 5, 1);
    consumer.close(ends.block);
  }
};

/// Of `start` items that kernels before have handed over.
struct TheNextKernelGoesOn {
  template <class E>
  static RS_DEVICE void run(E& ends, typename E::Producer& producer,
                            typename E::Consumer& consumer) {
    RS_EQUAL(ends.send(producer, 3, 0), SemaphoreStatus::kOk);
    ends.block.sync();
    ends.serve(consumer, ends.orders.start + 3, 4);
    ends.block.sync();
    RS_EQUAL(producer.collect(ends.block, 4, 0).count, 3U);
  }
};

/// Items one by one, as an onlooker sees them; the laps of a state word are 30 bits, the count of
/// items 64.
struct AnOnlookerSeesWhereAnItemIs {
  template <class E>
  static RS_DEVICE void run(E& ends, typename E::Producer& producer,
                            typename E::Consumer& consumer) {
    const auto state = [&](std::uint64_t n) {
      return item_state<Reach::kDevice>(ends.orders.rings[0], n);
    };
    for (std::uint64_t n = ends.orders.start; n < ends.orders.start + ends.orders.count; ++n) {
      RS_EQUAL(consumer.ready(), false);
      RS_EQUAL(state(n), ItemState::kFree);
      ends.block.sync();
      RS_EQUAL(ends.send(producer, 1, 0), SemaphoreStatus::kOk);
      ends.block.sync();
      RS_EQUAL(producer.ready(), false);
      RS_EQUAL(state(n), ItemState::kReady);
      RS_EQUAL(consumer.take(ends.block, 2, 0).count, 1U);
      ends.block.sync();
      RS_EQUAL(state(n), ItemState::kBusy);
      RS_EQUAL(consumer.item(n).number, n);
      ends.finish(consumer, n, n % 2 == 0);
      RS_EQUAL(state(n), n % 2 == 0 ? ItemState::kDone : ItemState::kFailed);
      ends.block.sync();
      RS_EQUAL(producer.collect(ends.block, 2, 0).count, 1U);
      ends.block.sync();
      RS_EQUAL(state(n), ItemState::kFree);
    }
  }
};

/// Each block by a ring of its own to a thread of the CPU.
struct HandsItemsToTheCpu {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    Ends<B> ends{block, checker};
    SemaphoreProducer<Job, Reach::kSystem> producer(ends.orders.rings[checker.number()]);
    while (producer.posted() < ends.orders.count) {
      const SemaphoreStatus status = ends.send(producer, 2, kEver);
      RS_EQUAL(status, SemaphoreStatus::kOk);
      if (status != SemaphoreStatus::kOk) return;
    }
    producer.close(block);
  }
};
#undef RS_EQUAL

}  // namespace ringside::test
