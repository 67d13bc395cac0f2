// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Semaphores between blocks of host threads, and between blocks and a thread of the CPU.
#include "lib/device/semaphore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

struct Job {
  std::uint64_t number;
  std::uint64_t answer;
};
using Producer = SemaphoreProducer<Job, Reach::kDevice>;
using Consumer = SemaphoreConsumer<Job, Reach::kDevice>;

/// Zeroed memory with a ring in it.
class Ring {
 public:
  explicit Ring(std::uint32_t log_depth)
      : memory_(static_cast<std::uint8_t*>(
                    std::aligned_alloc(128, (semaphore_bytes<Job>(log_depth) + 127) / 128 * 128)),
                &std::free),
        handle(semaphore_in<Job>(memory_.get(), log_depth)) {
    std::memset(memory_.get(), 0, semaphore_bytes<Job>(log_depth));
  }

 private:
  std::unique_ptr<std::uint8_t, void (*)(void*)> memory_;

 public:
  const SemaphoreHandle<Job> handle;
};

auto jobs_from(std::uint64_t first) {
  return [first](std::uint32_t i) { return Job{first + i, 0}; };
}

class DeviceSemaphore : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t threads() const { return GetParam(); }
  /// Of a test that goes on: a block of many threads on few cores needs a while for each batch.
  std::uint64_t laps() const { return threads() == 1 ? 1000 : 1000 / threads() + 16; }
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceSemaphore, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

/// Takes `count` items and answers each by its square; the order is that of their numbers.
template <Scope G, class Semaphore>
void serve(G& group, Semaphore& semaphore, std::uint64_t count, std::uint32_t most) {
  while (semaphore.taken() < count) {
    const SemaphoreBatch batch = semaphore.take(group, most, kEver);
    ASSERT_EQ(batch.status, SemaphoreStatus::kOk);
    for (std::uint32_t i = group.rank(); i < batch.count; i += group.size()) {
      Job& job = semaphore.item(batch.first + i);
      EXPECT_EQ(job.number, batch.first + i);
      job.answer = job.number * job.number;
      semaphore.done(batch.first + i);
    }
  }
}

TEST_P(DeviceSemaphore, each_item_is_handed_over_once_in_order_and_comes_back_in_order) {
  const Ring ring(4);
  const std::uint64_t count = laps() * 16;
  std::jthread consumer([&] {
    run_block(threads(), [&](HostBlock& block) {
      Consumer semaphore(ring.handle);
      serve(block, semaphore, count, 7);
    });
  });
  run_block(threads(), [&](HostBlock& block) {
    Producer semaphore(ring.handle);
    while (semaphore.collected() < count) {
      const auto left = static_cast<std::uint32_t>(count - semaphore.posted());
      const std::uint32_t posts = std::min({left, semaphore.room(), 5U});
      if (posts != 0) {
        ASSERT_EQ(semaphore.send(block, posts, jobs_from(semaphore.posted()), 0),
                  SemaphoreStatus::kOk);
      }
      const SemaphoreBatch back = semaphore.collect(block, 16, posts == 0 ? kEver : 0);
      ASSERT_EQ(back.status, SemaphoreStatus::kOk);
      for (std::uint32_t i = block.rank(); i < back.count; i += block.size()) {
        const Job& job = semaphore.item(back.first + i);
        EXPECT_EQ(job.number, back.first + i);
        EXPECT_EQ(job.answer, job.number * job.number);
        EXPECT_FALSE(semaphore.failed(back.first + i));
      }
      block.sync();  // read, before they are written again
    }
  });
}

TEST_P(DeviceSemaphore, a_send_waits_for_a_slow_consumer_and_loses_nothing) {
  const Ring ring(3);
  const std::uint64_t count = laps() * 8;
  std::jthread consumer([&] {
    ThreadScope cpu;
    Consumer semaphore(ring.handle);
    serve(cpu, semaphore, count, 1);
  });
  run_block(threads(), [&](HostBlock& block) {
    Producer semaphore(ring.handle);
    while (semaphore.posted() < count) {
      ASSERT_EQ(semaphore.send(block, 4, jobs_from(semaphore.posted()), kEver),
                SemaphoreStatus::kOk);
    }
  });
}

TEST_P(DeviceSemaphore, items_that_are_finished_in_any_order_come_back_in_theirs) {
  const Ring ring(3);
  run_block(threads(), [&](HostBlock& block) {
    Producer producer(ring.handle);
    Consumer consumer(ring.handle);
    ASSERT_EQ(producer.send(block, 4, jobs_from(0), 0), SemaphoreStatus::kOk);
    block.sync();
    ASSERT_EQ(consumer.take(block, 8, 0).count, 4U);
    const auto finish = [&](std::uint64_t n, bool well) {
      block.sync();
      if (block.rank() == 0 && well) consumer.done(n);
      if (block.rank() == 0 && !well) consumer.fail(n);
      block.sync();
    };
    finish(1, false);
    finish(3, true);
    EXPECT_EQ(producer.collect(block, 8, 0).count, 0U);
    finish(0, true);
    const SemaphoreBatch first = producer.collect(block, 8, 0);
    EXPECT_EQ(first.count, 2U);
    EXPECT_FALSE(producer.failed(0));
    EXPECT_TRUE(producer.failed(1));
    EXPECT_EQ(producer.room(), 6U);
    finish(2, true);
    EXPECT_EQ(producer.collect(block, 1, 0).count, 1U);
    EXPECT_EQ(producer.collect(block, 8, 0).first, 3U);
    EXPECT_EQ(producer.room(), 8U);
  });
}

TEST_P(DeviceSemaphore, a_wait_ends_at_its_deadline_and_changes_nothing) {
  const Ring ring(2);
  run_block(threads(), [&](HostBlock& block) {
    Producer producer(ring.handle);
    Consumer consumer(ring.handle);
    const std::uint64_t start = block.now_ns();
    EXPECT_EQ(consumer.take(block, 4, 10 * kMs).status, SemaphoreStatus::kLate);
    EXPECT_EQ(producer.collect(block, 4, 10 * kMs).status, SemaphoreStatus::kLate);
    EXPECT_EQ(producer.send(block, 3, jobs_from(0), 0), SemaphoreStatus::kOk);
    EXPECT_EQ(producer.send(block, 2, jobs_from(3), 10 * kMs), SemaphoreStatus::kLate);
    EXPECT_EQ(producer.send(block, 2, jobs_from(3), 0), SemaphoreStatus::kLate);
    EXPECT_EQ(producer.send(block, 5, jobs_from(3), kEver), SemaphoreStatus::kLate);
    if (block.rank() == 0) {
      EXPECT_GE(block.now_ns() - start, 30 * kMs);
    }
    block.sync();
    EXPECT_EQ(consumer.take(block, 4, kEver).count, 3U);
    EXPECT_EQ(consumer.take(block, 4, 0).count, 0U);
    EXPECT_EQ(producer.room(), 1U);
  });
}

TEST_P(DeviceSemaphore, a_producer_that_closes_is_heard_of_behind_its_last_item) {
  const Ring ring(3);
  std::jthread producer([&] {
    run_block(threads(), [&](HostBlock& block) {
      Producer semaphore(ring.handle);
      for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(semaphore.send(block, 3, jobs_from(semaphore.posted()), kEver),
                  SemaphoreStatus::kOk);
      }
      semaphore.close(block);
    });
  });
  run_block(threads(), [&](HostBlock& block) {
    Consumer semaphore(ring.handle);
    serve(block, semaphore, 30, 8);
    EXPECT_EQ(semaphore.take(block, 8, kEver).status, SemaphoreStatus::kClosed);
    EXPECT_TRUE(semaphore.closed());
  });
}

TEST_P(DeviceSemaphore, a_consumer_that_closes_ends_the_waits_and_says_what_it_has_not_taken) {
  const Ring ring(3);
  std::jthread consumer([&] {
    run_block(threads(), [&](HostBlock& block) {
      Consumer semaphore(ring.handle);
      serve(block, semaphore, 5, 1);
      semaphore.close(block);
    });
  });
  run_block(threads(), [&](HostBlock& block) {
    Producer semaphore(ring.handle);
    SemaphoreStatus status = SemaphoreStatus::kOk;
    while (status == SemaphoreStatus::kOk) {
      status = semaphore.send(block, 2, jobs_from(semaphore.posted()), kEver);
    }
    EXPECT_EQ(status, SemaphoreStatus::kClosed);
    EXPECT_TRUE(semaphore.closed());
    EXPECT_EQ(semaphore.taken(), 5U);
    EXPECT_EQ(semaphore.posted(), 12U);
    const SemaphoreBatch back = semaphore.collect(block, 8, kEver);
    EXPECT_EQ(back.first + back.count, 5U);
    EXPECT_EQ(semaphore.collect(block, 8, kEver).status, SemaphoreStatus::kClosed);
  });
}

TEST_P(DeviceSemaphore, the_next_kernel_goes_on_where_the_last_has_ended) {
  const Ring ring(2);
  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    run_block(threads(), [&](HostBlock& block) {
      Producer producer(ring.handle);
      Consumer consumer(ring.handle);
      ASSERT_EQ(producer.send(block, 3, jobs_from(turn * 3), 0), SemaphoreStatus::kOk);
      block.sync();
      serve(block, consumer, turn * 3 + 3, 4);
      block.sync();
      ASSERT_EQ(producer.collect(block, 4, 0).count, 3U);
    });
  }
  EXPECT_EQ(ring.handle.words->collected, 27U);
}

TEST_P(DeviceSemaphore, blocks_hand_items_to_one_thread_of_the_cpu_by_a_ring_each) {
  constexpr std::uint32_t kBlocks = 3;
  const std::uint64_t count = laps() * 4;
  std::deque<Ring> rings;
  for (std::uint32_t i = 0; i < kBlocks; ++i) rings.emplace_back(2);
  std::vector<std::jthread> blocks;
  for (const Ring& ring : rings) {
    blocks.emplace_back([&, this] {
      run_block(threads(), [&](HostBlock& block) {
        SemaphoreProducer<Job, Reach::kSystem> semaphore(ring.handle);
        while (semaphore.posted() < count) {
          ASSERT_EQ(semaphore.send(block, 2, jobs_from(semaphore.posted()), kEver),
                    SemaphoreStatus::kOk);
        }
        semaphore.close(block);
      });
    });
  }
  ThreadScope cpu;
  std::vector<SemaphoreConsumer<Job, Reach::kSystem>> ends;
  for (const Ring& ring : rings) ends.emplace_back(ring.handle);
  const Deadline deadline = Deadline::after_ms(60'000);
  while (!std::ranges::all_of(ends, [&](auto& end) { return end.taken() == count; })) {
    ASSERT_FALSE(deadline.passed());
    for (auto& end : ends) {
      const SemaphoreBatch batch = end.take(cpu, 4, 0);
      for (std::uint64_t n = batch.first; n < batch.first + batch.count; ++n) {
        EXPECT_EQ(end.item(n).number, n);
        end.done(n);
      }
    }
  }
}

TEST(DeviceSemaphoreStates, an_onlooker_sees_where_an_item_is) {
  const Ring ring(1);
  ThreadScope thread;
  Producer producer(ring.handle);
  Consumer consumer(ring.handle);
  const auto state = [&](std::uint64_t n) { return item_state<Reach::kDevice>(ring.handle, n); };
  for (std::uint64_t n = 0; n < 6; ++n) {
    EXPECT_EQ(state(n), ItemState::kFree);
    ASSERT_EQ(producer.send(thread, 1, jobs_from(n), 0), SemaphoreStatus::kOk);
    EXPECT_EQ(state(n), ItemState::kReady);
    ASSERT_EQ(consumer.take(thread, 1, 0).count, 1U);
    EXPECT_EQ(state(n), ItemState::kBusy);
    n % 2 == 0 ? consumer.done(n) : consumer.fail(n);
    EXPECT_EQ(state(n), n % 2 == 0 ? ItemState::kDone : ItemState::kFailed);
    ASSERT_EQ(producer.collect(thread, 1, 0).count, 1U);
    EXPECT_EQ(state(n), ItemState::kFree);
  }
}

/// The laps of a state word are 30 bits, the count of items 64.
TEST(DeviceSemaphoreStates, laps_may_wrap_around) {
  const Ring ring(1);
  const std::uint64_t start = (std::uint64_t{1} << 31) - 4;
  for (std::uint64_t* word :
       {&ring.handle.words->posted, &ring.handle.words->collected, &ring.handle.words->taken}) {
    *word = start;
  }
  ThreadScope thread;
  Producer producer(ring.handle);
  Consumer consumer(ring.handle);
  for (std::uint64_t n = start; n < start + 8; ++n) {
    EXPECT_FALSE(consumer.ready());
    ASSERT_EQ(producer.send(thread, 1, jobs_from(n), 0), SemaphoreStatus::kOk);
    EXPECT_FALSE(producer.ready());
    const SemaphoreBatch batch = consumer.take(thread, 2, 0);
    ASSERT_EQ(batch.count, 1U);
    EXPECT_EQ(consumer.item(batch.first).number, n);
    consumer.done(batch.first);
    ASSERT_EQ(producer.collect(thread, 2, 0).count, 1U);
  }
}

}  // namespace
}  // namespace ringside::test
