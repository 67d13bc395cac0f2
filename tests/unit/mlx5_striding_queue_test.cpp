// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// StridingReceiveQueue by a thread alone and by blocks of several sizes, on the software NIC.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernel_run.hpp"
#include "lib/base/error.hpp"
#include "lib/device/counted.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/striding_queue.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/queue_recovery.hpp"
#include "lib/mlx5/striding_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"
#include "queue_memory.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

constexpr std::uint32_t kLogSends = 6;
constexpr std::uint32_t kSends = 1U << kLogSends;
constexpr std::uint32_t kLongest = 1514;
// 8 strides of 64 bytes, 4 buffers: a packet of 512 bytes has one of its own.
constexpr mlx5::StridingShape kSmall{.log_buffers = 2,
                                     .strides = {.log_count = 3, .log_bytes = 6, .padded = false}};
// Buffers for 64 short packets, or for 4 long ones.
constexpr mlx5::StridingShape kLarge{.log_buffers = 3,
                                     .strides = {.log_count = 6, .log_bytes = 7, .padded = true}};
constexpr std::uint32_t kLargest = 64 * 1024;

class Striding : public testing::TestWithParam<std::uint32_t> {
 protected:
  void open(const mlx5::StridingShape& shape) {
    iova.clear();
    for (std::uint32_t i = 0; i < 1U << shape.log_buffers; ++i) {
      iova.push_back(address(i * shape.buffer_length()));
    }
    traffic.reset();
    rx.emplace(domain, arenas, config(shape));
    traffic.emplace(context, rx->number(), transport_domain.number());
  }
  mlx5::StridingQueueConfig config(const mlx5::StridingShape& shape) const {
    return {.shape = shape,
            .buffers = {.iova = iova,
                        .length = shape.buffer_length(),
                        .lkey = key.lkey(),
                        .view_offset = 0},
            .q_counter = counter.id()};
  }
  std::uint64_t address(std::size_t at) const {
    return reinterpret_cast<std::uintptr_t>(memory.get()) + at;
  }

  /// Frame number n: that number, then bytes that tell it from others.
  static std::vector<std::uint8_t> frame(std::uint32_t number, std::uint32_t length) {
    std::vector<std::uint8_t> bytes(length);
    for (std::uint32_t i = 0; i < length; ++i) {
      bytes[i] = static_cast<std::uint8_t>(number * 7 + i);
    }
    bytes[12] = 0x08, bytes[13] = 0x06;
    return bytes;
  }
  /// One frame of each length, round the loop; they are in the ring when this returns, or lost.
  void send(std::initializer_list<std::uint32_t> lengths) {
    send(std::vector<std::uint32_t>(lengths));
  }
  void send(const std::vector<std::uint32_t>& lengths) {
    for (std::size_t done = 0; done < lengths.size();) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kSends, lengths.size() - done));
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto bytes = frame(sent++, lengths[done + i]);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(own(i)));
      }
      const TxBatch batch = sender->send(
          alone, count,
          [&](std::uint32_t i) {
            return TxPacket{own(i), lengths[done + i]};
          },
          kEver);
      ASSERT_EQ(sender->poll_at(alone, batch.ticket(), kEver), TxStatus::kOk);
      done += count;
    }
  }
  std::uint64_t own(std::uint32_t i) const { return address(kLargest + i * std::size_t{2048}); }

  /// Calls `body(scope)` in each thread of the scope; 0: of a thread alone.
  template <class Body>
  void run(Body body) {
    if (GetParam() != 0) return run_block(GetParam(), body);
    run_alone(body);
  }
  template <class S>
  static void expect_frame(S&, const StridingReceiveQueue& queue, const RxBatch& batch,
                           std::uint32_t i, std::uint32_t number, std::uint32_t length) {
    ASSERT_TRUE(queue.is_packet(batch, i)) << i;
    const Packet packet = queue.packet(batch, i);
    ASSERT_EQ(std::vector(packet.data(), packet.data() + packet.length()), frame(number, length));
  }
  template <class S, class Queue>
  static void release_all(S& scope, const Queue& queue, const RxBatch& batch) {
    for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
      queue.release(queue.slot(batch, i));
    }
    scope.sync();
  }
  /// Buffers that were given to the NIC so far, with those of the start, modulo 2^16.
  std::uint32_t posted() const {
    const Be32 counter_now{
        __atomic_load_n(&rx->handle().completions.record->receive_counter.raw, __ATOMIC_ACQUIRE)};
    return counter_now.value();
  }

  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  std::size_t memory_bytes = kLargest + kSends * 2048;
  Pages memory = allocate_pages(memory_bytes);
  mlx5::MemoryKey key{pd, memory.get(), memory_bytes};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  QueueMemory queue_memory{
      context, 2 * mlx5::StridingQueue::ring_bytes(kLarge) + mlx5::TxQueue::ring_bytes(kLogSends),
      2 * mlx5::StridingQueue::kernel_bytes(kLarge) + mlx5::TxQueue::kernel_bytes(kLogSends)};
  mlx5::QueueArenas arenas = queue_memory.arenas();
  std::vector<std::uint64_t> iova;
  mlx5::TxQueue tx{domain, arenas, kLogSends, key.lkey()};
  std::optional<mlx5::StridingQueue> rx;
  std::optional<AllTraffic> traffic;
  ThreadScope alone;
  SendQueue<Sharing::kExclusive> sender_queue{tx.handle()};
  SendQueue<Sharing::kExclusive>* sender = &sender_queue;
  std::uint32_t sent = 0;
};
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

TEST_P(Striding, an_error_that_stops_the_queue_is_named_and_the_host_recovers_it) {
  open(kSmall);
  send({60, 60});
  LoopPort::expect_broken("receive.record-beyond-ring");
  __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                   __ATOMIC_RELEASE);
  send({60});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {3, 8, kEver});
    EXPECT_EQ(batch.count, 2U);
    EXPECT_TRUE(batch.stopped);
    EXPECT_EQ(queue.stop_error(batch).syndrome, 0x02);
  });
  EXPECT_TRUE(rx->stopped());
  rx->recover();
  EXPECT_FALSE(rx->stopped());
  sent = 0;
  send({60, 512, 60});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {4, 8, kEver});
    ASSERT_EQ(batch.count, 4U);
    EXPECT_TRUE(queue.is_filler(batch, 1));
    if (scope.rank() == 0) {
      expect_frame(scope, queue, batch, 2, 1, 512);
      EXPECT_EQ(queue.packet(batch, 2).iova(), iova[1]) << "from the first buffer on";
    }
    release_all(scope, queue, batch);
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(posted(), 4U + 2U);
    }
  });
}

/// The kernel goes on, with the packets of before released and given back.
TEST_P(Striding, a_queue_goes_on_while_its_kernel_runs) {
  using Event = mlx5::QueueRecovery::Event;
  open(kSmall);
  RecoveryRequest request{};
  RecoveryAnswer answer{};
  const RecoveryWords words{&request, &answer};
  std::uint32_t turns = 0;
  std::jthread cpu([&] {
    mlx5::QueueRecovery recovery(
        {.request = &request, .answer = &answer, .rx = &*rx, .tx = nullptr},
        {.limit = 5, .pause_ns = 1'000'000});
    EXPECT_TRUE(wait_until([&] {
      if (recovery.step(monotonic_ns()) == Event::kReady) ++turns;
      return turns == 2;
    }));
  });
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    for (int turn = 0; turn < 2; ++turn) {
      if (scope.rank() == 0) {
        sent = 0;
        send({60, 200});
        LoopPort::expect_broken("receive.record-beyond-ring");
        __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                         __ATOMIC_RELEASE);
        send({60});
      }
      scope.sync();
      const RxBatch batch = queue.receive(scope, {3, 8, kEver});
      ASSERT_EQ(batch.count, 2U);
      ASSERT_TRUE(batch.stopped);
      release_all(scope, queue, batch);
      queue.give_back(scope);
      const QueueStop stop{kRecoverReceive, queue.stop_error(batch)};
      ASSERT_TRUE(recover(
          scope, words, stop, [] { return false; }, queue));
      EXPECT_EQ(queue.kept(), 0U);
      if (scope.rank() == 0) {
        EXPECT_EQ(posted(), 4U);
        sent = 0;
        send({60, 512, 60});
      }
      scope.sync();
      const RxBatch next = queue.receive(scope, {4, 8, kEver});
      ASSERT_EQ(next.count, 4U);
      EXPECT_TRUE(queue.is_filler(next, 1));
      if (scope.rank() == 0) {
        expect_frame(scope, queue, next, 2, 1, 512);
        EXPECT_EQ(queue.packet(next, 2).iova(), iova[1]) << "from the first buffer on";
      }
      release_all(scope, queue, next);
      queue.give_back(scope);
      scope.sync();
      if (scope.rank() == 0) {
        EXPECT_EQ(posted(), 4U + 2U);
      }
      scope.sync();
    }
  });
  cpu.join();
  EXPECT_FALSE(rx->stopped());
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_P(Striding, a_queue_whose_completion_queue_overran_is_made_anew) {
  open(kSmall);
  LoopPort::expect_broken("cq.consumer-ahead");
  __atomic_store_n(&rx->handle().completions.cq_record->consumer_index.raw, Be32::of(16).raw,
                   __ATOMIC_RELEASE);
  send({60});
  ASSERT_TRUE(wait_until([&] { return rx->completions_overrun(); }));
  {
    const mlx5::ReceiveRing::Former former = rx->renew();
    traffic.emplace(context, rx->number(), transport_domain.number());
  }
  EXPECT_FALSE(rx->completions_overrun());
  sent = 0;
  send({60, 512});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {3, 8, kEver});
    ASSERT_EQ(batch.count, 3U);
    if (scope.rank() == 0) expect_frame(scope, queue, batch, 2, 1, 512);
  });
}

/// The kernel of `ringside testpmd`.
class StridedKernel : public Striding {
 protected:
  StreamArgs stream() {
    const StridingQueueHandle handle = rx->handle();
    return StreamArgs{.rx = handle.completions,
                      .counters = &counters,
                      .control = &control,
                      .status = &status,
                      .burst = 32,
                      .recovers = true,
                      .strides = handle.buffers};
  }
  bool await_packets(std::uint64_t packets) {
    return wait_until([&] { return std::atomic_ref(counters.rx_packets).load() >= packets; });
  }
  BlockPhase phase() { return std::atomic_ref(status.phase).load(std::memory_order_acquire); }

  StreamCounters counters{};
  StreamControl control{};
  StreamStatus status{};
};
INSTANTIATE_TEST_SUITE_P(threads, StridedKernel, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(StridedKernel, counts_all_that_comes_and_gives_all_buffers_back) {
  open(kSmall);
  std::uint64_t packets = 0;
  for (int kernel = 0; kernel < 2; ++kernel) {
    control = {};
    KernelRun run("strided_rxonly", stream(), GetParam());
    for (int round = 0; round < 30; ++round) {
      send({60, 200, 513, 512, 100});  // one is longer than a buffer
      packets += 4;
      ASSERT_TRUE(await_packets(packets));
    }
    run.stop();
    EXPECT_EQ(phase(), BlockPhase::kFinished);
  }
  EXPECT_EQ(counters.rx_packets, packets);
  EXPECT_EQ(counters.consumed, packets);
  EXPECT_EQ(counters.rx_bytes, packets / 4 * (60 + 200 + 512 + 100));
  EXPECT_EQ(counters.rx_errors, packets / 4);
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_P(StridedKernel, goes_on_when_its_queue_was_recovered_and_ends_when_it_cannot_be) {
  using Event = mlx5::QueueRecovery::Event;
  open(kSmall);
  LoopPort::expect_broken("receive.record-beyond-ring");
  const auto spoil = [&] {
    __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                     __ATOMIC_RELEASE);
    send({60});
  };
  mlx5::QueueRecovery recovery(
      {.request = &status.recovery, .answer = &control.recovery, .rx = &*rx, .tx = nullptr},
      {.limit = 1, .pause_ns = 1'000'000});
  const auto await = [&](Event event) {
    return wait_until([&] { return recovery.step(monotonic_ns()) == event; });
  };
  KernelRun run("strided_rxonly", stream(), GetParam());
  spoil();
  ASSERT_TRUE(await(Event::kReady));
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
  send({60, 512, 60});
  ASSERT_TRUE(await_packets(3));
  spoil();
  ASSERT_TRUE(await(Event::kGivenUp));
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  EXPECT_EQ(counters.rx_packets, 3U);
  EXPECT_EQ(counters.rx_errors, 2U) << "the packets that stopped it";
  EXPECT_EQ(status.error_on_send, 0U);
  EXPECT_EQ(status.error_syndrome, 2U);
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
