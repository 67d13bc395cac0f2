// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which buffers a StridingReceiveQueue gives back, against a model of the NIC.
#include "lib/device/striding_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "lib/device/thread_scope.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/striding_nic.hpp"

namespace ringside::test {
namespace {

/// What a kernel has received and not released.
struct Kept {
  std::uint64_t number;
  std::uint32_t slot;
  bool is_packet;
  std::uint32_t mark;
  Packet packet;
};

/// Packets of all lengths come and are kept for a while, until so many buffers have gone by.
template <class S>
void pass_buffers(S& scope, StridingNic& nic, std::uint64_t buffers) {
  StridingReceiveQueue queue(nic.handle());
  std::minstd_rand random(1);  // the same in all threads
  std::deque<Kept> kept;
  std::deque<std::uint32_t> marks;  // of packets that came
  const std::uint64_t end = scope.broadcast(scope.rank() == 0 ? nic.posted() + buffers : 0);
  const auto is_over = [&] { return nic.posted() >= end || testing::Test::HasFailure(); };
  for (std::uint32_t mark = 1; !scope.broadcast(scope.rank() == 0 && is_over()); ++mark) {
    std::vector<std::uint8_t> packet(sizeof(mark) + random() % (kLongest + 64 - sizeof(mark)));
    std::memcpy(packet.data(), &mark, sizeof(mark));
    bool came = false;
    if (scope.rank() == 0) came = nic.receive(packet);
    came = scope.broadcast(came);
    if (came && packet.size() <= kLongest) marks.push_back(mark);

    const RxBatch batch = queue.receive(scope, {0, 8, 0});
    ASSERT_FALSE(batch.stopped);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      Kept one{batch.first + i, queue.slot(batch, i), queue.is_packet(batch, i), 0,
               queue.packet(batch, i)};
      if (one.is_packet) {
        ASSERT_FALSE(marks.empty());
        one.mark = marks.front();
        marks.pop_front();
      }
      kept.push_back(one);
    }
    // Sometimes all go, so that none is kept where a buffer ends.
    const bool all = random() % 16 == 0;
    for (std::size_t left = kept.size(); left > 0; --left) {
      const Kept one = kept.front();
      kept.pop_front();
      if (!all && random() % 4 != 0) {
        kept.push_back(one);
        continue;
      }
      std::uint32_t mark_there = 0;
      if (one.is_packet) std::memcpy(&mark_there, one.packet.data(), sizeof(mark_there));
      ASSERT_EQ(mark_there, one.mark) << "overwritten";
      if (scope.rank() != one.number % scope.size()) continue;
      queue.release(one.slot);
    }
    scope.sync();
    if (scope.rank() == 0) {
      std::vector<bool> is_kept(kCqes);
      for (const Kept& one : kept) is_kept[one.number % kCqes] = true;
      for (std::uint64_t n = nic.cqes() > kCqes ? nic.cqes() - kCqes : 0; n < nic.cqes(); ++n) {
        if (n < batch.first + batch.count && !is_kept[n % kCqes]) nic.released(n);
      }
    }
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(nic.posted(), nic.expected()) << "packet " << mark;
    }
  }
}

/// 0: a thread alone.
class DeviceStriding : public testing::TestWithParam<std::uint32_t> {
 protected:
  static void pass(StridingNic& nic, std::uint64_t buffers) {
    if (GetParam() != 0) {
      return run_block(GetParam(), [&](HostBlock& block) { pass_buffers(block, nic, buffers); });
    }
    ThreadScope alone;
    pass_buffers(alone, nic, buffers);
  }
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceStriding, testing::Values(0U, 1U, 32U),
                         [](const auto& size) {
                           return size.param == 0 ? "alone" : std::to_string(size.param);
                         });

TEST_P(DeviceStriding, buffers_come_back_by_the_strides_of_what_was_released) {
  StridingNic nic(0, 0);
  pass(nic, 200);
}

TEST_P(DeviceStriding, numbers_wrap) {
  constexpr std::uint64_t kBuffersBefore = (std::uint64_t{1} << 32) - 50;
  constexpr std::uint64_t kCqesBefore = (std::uint64_t{1} << 32) - 80;
  StridingNic nic(kBuffersBefore, kCqesBefore);  // 16 bits of the one wrap, 24 of the other
  pass(nic, 200);
}

/// More than the 16 bits of the record and of a WQE's index can tell.
TEST(DeviceStridingAlone, more_buffers_go_by_than_a_wqe_index_can_count) {
  StridingNic nic(0, 0);
  ThreadScope alone;
  pass_buffers(alone, nic, 70'000);
}

}  // namespace
}  // namespace ringside::test
