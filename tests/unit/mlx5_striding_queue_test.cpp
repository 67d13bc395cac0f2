// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// StridingReceiveQueue by a thread alone and by blocks of several sizes, on the software NIC.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/device/counted.hpp"
#include "striding_rig.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

INSTANTIATE_TEST_SUITE_P(threads, Striding, testing::Values(0U, 1U, 32U, 256U),
                         [](const auto& size) {
                           return size.param == 0 ? "alone" : std::to_string(size.param);
                         });

TEST_P(Striding, many_packets_lie_in_one_buffer) {
  open(kLarge);
  send({60, 60, 126, 127, 1000, kLongest});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {6, 64, kEver});
    ASSERT_EQ(batch.count, 6U);
    const std::uint32_t lengths[] = {60, 60, 126, 127, 1000, kLongest};
    // Two bytes of padding, so that 126 bytes are one stride and 127 are two.
    const std::uint32_t strides[] = {0, 1, 2, 3, 5, 13};
    for (std::uint32_t i = scope.rank(); i < 6; i += scope.size()) {
      expect_frame(scope, queue, batch, i, i, lengths[i]);
      EXPECT_EQ(queue.packet(batch, i).iova(), iova[0] + strides[i] * 128 + 2);
    }
  });
}

TEST_P(Striding, a_buffer_comes_back_when_all_its_packets_were_released_in_any_order) {
  open(kSmall);
  send({200, 200, 100, 60, 60, 512});  // strides: 4 + 4, 2 + 1 + 1 + 4 of filler, 8
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {7, 32, kEver});
    ASSERT_EQ(batch.count, 7U);
    EXPECT_TRUE(queue.is_filler(batch, 5));
    EXPECT_FALSE(queue.is_packet(batch, 5));
    EXPECT_FALSE(queue.is_filler(batch, 6));
    const auto release = [&](std::uint32_t i, std::uint32_t buffers) {
      if (scope.rank() == i % scope.size()) queue.release(queue.slot(batch, i));
      scope.sync();
      queue.give_back(scope);
      scope.sync();
      if (scope.rank() == 0) {
        EXPECT_EQ(posted(), 4 + buffers) << "after " << i;
      }
      scope.sync();
    };
    release(1, 0);
    release(4, 0);
    release(0, 1);
    release(6, 1);
    release(2, 1);
    release(5, 1);
    release(3, 3);
    EXPECT_EQ(queue.kept(), 0U);
  });
}

TEST_P(Striding, a_packet_that_is_kept_is_not_overwritten_while_others_come) {
  open(kSmall);
  send({300, 60});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch kept = queue.receive(scope, {2, 2, kEver});
    ASSERT_EQ(kept.count, 2U);
    // The other packet of the buffer goes, and the three other buffers are used up.
    if (scope.rank() == 0) queue.release(queue.slot(kept, 1));
    if (scope.rank() == 0) send({512, 512, 512, 60, 60});
    scope.sync();
    const RxBatch rest = queue.receive(scope, {4, 32, kEver});
    ASSERT_EQ(rest.count, 4U) << "a filler and three packets: the last two found no buffer";
    release_all(scope, queue, rest);
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(posted(), 4U);
      expect_frame(scope, queue, kept, 0, 0, 300);
      queue.release(queue.slot(kept, 0));
    }
    scope.sync();
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(posted(), 8U);
      send({70});
    }
    scope.sync();
    const RxBatch next = queue.receive(scope, {1, 8, kEver});
    ASSERT_EQ(next.count, 1U);
    if (scope.rank() == 0) expect_frame(scope, queue, next, 0, 7, 70);
  });
  EXPECT_EQ(counter.out_of_buffer(), 2U);
}

TEST_P(Striding, packets_longer_than_a_buffer_are_dropped_and_counted_and_the_ring_goes_on) {
  open(kSmall);
  QueueCounters published{};
  QueueTally tally;
  tally.begin(&published);
  run([&](auto& scope) {
    CountedStridingReceiveQueue counted(rx->handle(), tally);
    auto& queue = counted.queue();
    for (int round = 0; round < 50; ++round) {
      if (scope.rank() == 0) send({60, 513, 512, kLongest, 60});
      scope.sync();
      for (std::uint32_t there = 0; there < 5;) {
        const RxBatch batch = counted.receive(scope, {1, 32, kEver});
        ASSERT_FALSE(batch.stopped);
        ASSERT_NE(batch.count, 0U);
        for (std::uint32_t i = 0; i < batch.count; ++i) there += queue.is_filler(batch, i) ? 0 : 1;
        release_all(scope, queue, batch);
        counted.give_back(scope);
        scope.sync();
      }
    }
    if (scope.rank() == 0) counted.publish();
  });
  EXPECT_EQ(published.packets, 150U);
  EXPECT_EQ(published.bytes, 50U * (60 + 512 + 60));
  EXPECT_EQ(published.errors[static_cast<std::uint32_t>(QueueErrorCause::kLength)], 100U);
  EXPECT_EQ(counter.out_of_buffer(), 0U) << "none was lost for want of a buffer";
}

TEST_P(Striding, all_lengths_come_through_rings_that_wrap_and_the_next_kernel_goes_on) {
  open(kLarge);
  std::uint32_t next = 0;
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t i = 0; i < 24; ++i) lengths.push_back(60 + i * 61);
  for (int kernel_number = 0; kernel_number < 3; ++kernel_number) {
    run([&](auto& scope) {
      StridingReceiveQueue queue(rx->handle());
      std::uint32_t number = next;
      for (int round = 0; round < 20; ++round) {
        if (scope.rank() == 0) send(lengths);
        scope.sync();
        for (std::uint32_t there = 0; there < lengths.size();) {
          const RxBatch batch = queue.receive(scope, {1, 32, kEver});
          ASSERT_FALSE(batch.stopped);
          for (std::uint32_t i = 0; i < batch.count; ++i) {
            if (queue.is_filler(batch, i)) continue;
            if (scope.rank() == i % scope.size()) {
              expect_frame(scope, queue, batch, i, number, lengths[there]);
            }
            ++number;
            ++there;
          }
          release_all(scope, queue, batch);
          queue.give_back(scope);
          scope.sync();
        }
      }
      scope.sync();
      if (scope.rank() == 0) next = number;
    });
  }
  EXPECT_EQ(next, 3U * 20 * 24);
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

using StridingAlone = Striding;
INSTANTIATE_TEST_SUITE_P(thread, StridingAlone, testing::Values(0U));

TEST_P(StridingAlone, the_16_bits_of_the_record_and_of_the_cqe_wrap) {
  open(kSmall);
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    std::uint32_t number = 0;
    // Each round takes two buffers and leaves none begun.
    for (std::uint32_t round = 0; round < 33'000; ++round) {
      send({200, 400});
      for (std::uint32_t there = 0; there < 2;) {
        const RxBatch batch = queue.receive(scope, {1, 8, kEver});
        ASSERT_FALSE(batch.stopped);
        for (std::uint32_t i = 0; i < batch.count; ++i) {
          if (!queue.is_filler(batch, i)) {
            expect_frame(scope, queue, batch, i, number++, there++ == 0 ? 200 : 400);
          }
        }
        release_all(scope, queue, batch);
        queue.give_back(scope);
      }
    }
  });
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_P(StridingAlone, what_the_device_cannot_do_is_refused_with_what_it_can) {
  const auto refused = [&](mlx5::StridingShape shape, const std::string& remedy) {
    iova.assign(std::size_t{1} << shape.log_buffers, address(0));
    try {
      const mlx5::StridingQueue queue(domain, arenas, config(shape));
    } catch (const Error& error) {
      return std::string(error.what()).find(remedy) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused({0, {6, 7, false}}, "use 2 to"));
  EXPECT_TRUE(refused({2, {2, 7, false}}, "use 2^3 to 2^13"));
  EXPECT_TRUE(refused({2, {14, 7, false}}, "use 2^3 to 2^13"));
  EXPECT_TRUE(refused({2, {6, 5, false}}, "use 2^6 to 2^13"));
  EXPECT_TRUE(refused({2, {6, 14, false}}, "use 2^6 to 2^13"));
  EXPECT_TRUE(refused({10, {13, 6, false}}, "strides at most"));
  iova.assign(3, address(0));
  EXPECT_THROW(mlx5::StridingQueue(domain, arenas, config(kSmall)), Error);
}

}  // namespace
}  // namespace ringside::test
