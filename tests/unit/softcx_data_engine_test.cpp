// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The engine with its thread. The test is the driver, and the control path.
#include "lib/softcx/data/engine.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/relax.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/copy_batch.hpp"
#include "lib/softcx/data/quiescence.hpp"
#include "lib/softcx/nic/nic_clock.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/unit/softcx_data_copy_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::Deadline;
using ringside::WqeOpcode;

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

class SoftcxEngine : public testing::Test {
 protected:
  SoftcxEngine() {
    device_.classifier = &classifier_;
    classifier_.verdict = {Verdict::Kind::kDeliver, &receive_.rq, false, 0, 0, 0};
    send_.sq.consumer = 0;
    send_.sq.uar = &uar_;
    uar_.page = reinterpret_cast<std::uint8_t*>(page_.data());
    uar_.send_queues.store(new std::vector<Sq*>{&send_.sq});
    device_.uars.store(new std::vector<Uar*>{&uar_});
  }
  ~SoftcxEngine() override {
    engine_.reset();
    delete uar_.send_queues.load();
  }
  void start(std::unique_ptr<Wire> wire) {
    std::vector<EnginePort> ports;
    ports.push_back({&device_, std::move(wire)});
    engine_ = start_engines(std::move(ports), 1);
  }
  void ring(std::uint16_t last) {
    send_.write_record(send_.next);
    std::atomic_ref<std::uint64_t>(page_[ringside::kUarDoorbellOffset / 8])
        .store(send_.doorbell(last), std::memory_order_release);
  }
  void send_one() {
    ring(send_.post(WqeOpcode::kSend, send_body(region_.lkey, region_.address(0), 60)));
  }
  template <class Condition>
  static bool wait_until(Condition condition, std::uint64_t milliseconds = 5000) {
    const Deadline deadline = Deadline::after_ms(milliseconds);
    while (!condition()) {
      if (deadline.passed()) return false;
      sched_yield();
    }
    return true;
  }

  Device device_{0, "0000:ca:00.0", "mlx5_engine", "uverbs0", ""};
  ScriptedClassifier classifier_;
  CqUnderTest sent_{8}, received_{8};
  SqUnderTest send_{device_, sent_.cq, 0x300, 6};
  RqUnderTest receive_{device_, received_.cq, 6};
  Region region_{device_, 4096};
  std::vector<std::uint64_t> page_ = std::vector<std::uint64_t>(512);
  Uar uar_;
  std::unique_ptr<Engines> engine_;
};

TEST_F(SoftcxEngine, loops_frames_from_ring_to_ring) {
  for (int i = 0; i < 64; ++i) receive_.post(2048, region_.lkey, region_.address(2048));
  start(std::make_unique<DirectWire>(0));
  for (int i = 0; i < 2000; ++i) {
    send_one();
    ASSERT_TRUE(wait_until([&] { return sent_.poll() != nullptr; })) << i;
    ASSERT_TRUE(wait_until([&] { return received_.poll() != nullptr; })) << i;
    sent_.give_back();
    received_.give_back();
    receive_.post(2048, region_.lkey, region_.address(2048));
  }
  engine_->stop();
  EXPECT_EQ(device_.counters.rx_delivered.load(), 2000U);
  EXPECT_EQ(violations_with("mlx5_engine:"), 0U);
}

TEST_F(SoftcxEngine, deregistration_waits_for_copies_and_has_the_copy_kernel_leave) {
  FakeGpu gpu;
  start(std::make_unique<NullWire>());
  std::string why;
  ASSERT_TRUE(device_.engine->attach(gpu, why)) << why;
  const std::uint32_t lkey = register_gpu(device_, gpu);
  gpu.held = true;
  ring(send_.post(WqeOpcode::kSend, send_body(lkey, gpu.address(0), 60)));
  ASSERT_TRUE(wait_until([&] { return gpu.starts.load() == 1; }));
  std::atomic<bool> removed{false};
  std::thread control([&] {
    device_.remove_mkey(lkey);
    removed = true;
  });
  sleep_ms(20);
  EXPECT_FALSE(removed.load());
  EXPECT_EQ(gpu.copies.load(), 0);
  gpu.held = false;
  control.join();
  EXPECT_EQ(gpu.copies.load(), 1);
  // The WQE was not executed yet: its key is gone now.
  ASSERT_TRUE(wait_until([&] { return sent_.poll() != nullptr; }));
  EXPECT_EQ(vendor_syndrome(sent_.ring[0]), static_cast<std::uint8_t>(Cause::kMemoryKey));
  EXPECT_TRUE(wait_until([&] { return gpu.kernels.load() == 0; }));
}

TEST_F(SoftcxEngine, sleeping_engine_keeps_nothing_that_was_fetched_for_a_failed_queue) {
  FakeGpu gpu;
  sent_.cq.overrun_ignore = true;
  SqUnderTest big(device_, sent_.cq, 0x301, 10);
  big.sq.consumer = 0;
  std::unique_ptr<const std::vector<Sq*>> other(
      uar_.send_queues.exchange(new std::vector<Sq*>{&send_.sq, &big.sq}));
  start(std::make_unique<NullWire>());
  std::string why;
  ASSERT_TRUE(device_.engine->attach(gpu, why)) << why;
  const std::uint32_t lkey = register_gpu(device_, gpu);
  const auto post = [&](std::uint32_t key) {
    return big.post(WqeOpcode::kSend, send_body(key, gpu.address(0), 60), 0);
  };
  gpu.held = true;
  // The error ends a turn, by its budget too, and what comes behind it has been fetched already.
  for (std::uint32_t i = 0; i < kBatchCopies; ++i) post(lkey);
  std::uint16_t last = post(lkey + 0x100);
  for (std::uint32_t i = 0; i < kBatchCopies; ++i) last = post(lkey);
  big.write_record(big.next);
  std::atomic_ref<std::uint64_t>(page_[ringside::kUarDoorbellOffset / 8])
      .store(big.doorbell(last), std::memory_order_release);
  ASSERT_TRUE(wait_until([&] { return gpu.starts.load() == 1; }));
  sleep_ms(20);
  gpu.held = false;
  ASSERT_TRUE(wait_until([&] { return big.sq.state.load() == QueueState::kError; }));
  sleep_ms(20);
  // The queue may be freed when this returns: at once, since the engine sleeps.
  other.reset(uar_.send_queues.exchange(other.release()));
  device_.quiesce();
  EXPECT_EQ(big.sq.oldest_batch, nullptr);
  engine_.reset();
}

TEST_F(SoftcxEngine, sleeping_engine_sees_a_ring_within_milliseconds) {
  start(std::make_unique<NullWire>());
  sleep_ms(20);
  send_one();
  EXPECT_TRUE(wait_until([&] { return sent_.poll() != nullptr; }, 500));
}

TEST_F(SoftcxEngine, idle_engine_takes_less_than_a_twentieth_of_a_core) {
  start(std::make_unique<NullWire>());
  sleep_ms(20);
  const auto cpu_ns = [] {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1'000'000'000L + used.tv_nsec;
  };
  const long before = cpu_ns();
  sleep_ms(400);
  EXPECT_LT(cpu_ns() - before, 400'000'000L / 20);
}

TEST_F(SoftcxEngine, wake_ends_a_sleep_for_a_replay) {
  auto wire = std::make_unique<RecordingWire>();
  wire->waits = true;
  wire->arriving = {pattern(60)};
  receive_.rq.state.store(QueueState::kReset);
  start(std::move(wire));
  sleep_ms(20);
  receive_.post(2048, region_.lkey, region_.address(0));
  receive_.rq.state.store(QueueState::kReady, std::memory_order_release);
  device_.wake_engine();
  EXPECT_TRUE(wait_until([&] { return received_.poll() != nullptr; }));
}

TEST_F(SoftcxEngine, receive_queue_in_error_is_flushed_while_no_frame_is_taken) {
  auto wire = std::make_unique<RecordingWire>();
  wire->waits = true;  // and a replay holds its frame back from a queue in error
  wire->arriving = {pattern(60)};
  device_.receive_queues.store(new std::vector<Rq*>{&receive_.rq});
  receive_.rq.state.store(QueueState::kReset);
  start(std::move(wire));
  receive_.post(2048, region_.lkey, region_.address(0));
  receive_.post(2048, region_.lkey, region_.address(0));
  sleep_ms(20);
  receive_.rq.state.store(QueueState::kError, std::memory_order_release);
  device_.quiesce();
  for (int i = 0; i < 2; ++i) {
    const ringside::Cqe* cqe = nullptr;
    ASSERT_TRUE(wait_until([&] { return (cqe = received_.poll()) != nullptr; }, 500)) << i;
    EXPECT_EQ(syndrome(*cqe), 0x05);
  }
  receive_.post(2048, region_.lkey, region_.address(0));
  EXPECT_TRUE(wait_until([&] { return received_.poll() != nullptr; }, 500)) << "posted in error";
  engine_->stop();
  EXPECT_EQ(device_.counters.rx_wire_packets.load(), 0U);
}

TEST_F(SoftcxEngine, stop_ends_soon_and_flushes_the_wire) {
  auto owned = std::make_unique<RecordingWire>();
  RecordingWire& wire = *owned;
  start(std::move(owned));
  send_one();
  ASSERT_TRUE(wait_until([&] { return sent_.poll() != nullptr; }));
  const std::uint64_t before = ringside::monotonic_ns();
  engine_->stop();
  EXPECT_LT(ringside::monotonic_ns() - before, 1'000'000'000U);
  EXPECT_EQ(wire.sent.size(), 1U);
  EXPECT_GE(wire.flushes, 1);
  engine_->stop();
  device_.quiesce();
  device_.wake_engine();
}

// Run it under the address and thread sanitizers: they see a use after free, or a race.
TEST_F(SoftcxEngine, objects_may_be_freed_after_synchronize_while_packets_move) {
  for (int i = 0; i < 64; ++i) receive_.post(2048, region_.lkey, region_.address(2048));
  received_.cq.overrun_ignore = sent_.cq.overrun_ignore = true;
  start(std::make_unique<DirectWire>(0));
  std::atomic<bool> over{false};
  std::thread driver([&] {
    std::uint16_t given_back = 0;
    while (!over.load()) {
      send_one();
      if (!wait_until([&] { return sent_.poll() != nullptr; })) break;
      while (received_.poll() != nullptr)
        receive_.write_record(static_cast<std::uint16_t>(receive_.next + ++given_back));
    }
  });
  for (int i = 0; i < 300; ++i) {
    // A queue comes and goes.
    auto extra = std::make_unique<SqUnderTest>(device_, sent_.cq, 0x301, 4);
    extra->sq.consumer = 0;
    const auto* const one = uar_.send_queues.load();
    auto* const two = new std::vector<Sq*>{&send_.sq, &extra->sq};
    uar_.send_queues.store(two, std::memory_order_release);
    device_.quiesce();
    uar_.send_queues.store(one, std::memory_order_release);
    device_.quiesce();
    delete two;
    extra.reset();
    // So does a memory key.
    EXPECT_TRUE(device_.remove_mkey(Region(device_, 64).lkey));
    if (i % 100 == 0) sleep_ms(5);
  }
  over.store(true);
  driver.join();
  engine_->stop();
  EXPECT_EQ(send_.sq.state.load(), QueueState::kReady);
}

TEST_F(SoftcxEngine, queue_can_be_reset_and_restarted_while_the_engine_runs) {
  sent_.cq.overrun_ignore = true;
  start(std::make_unique<NullWire>());
  for (int i = 0; i < 200; ++i) {
    send_one();
    if (i % 3 != 0) send_one();
    ASSERT_TRUE(wait_until([&] { return sent_.poll() != nullptr; })) << i;
    send_.sq.state.store(QueueState::kReset, std::memory_order_release);
    device_.quiesce();
    while (sent_.poll() != nullptr) {
    }
    send_.sq.consumer = 0;
    send_.next = 0;  // and the record keeps what it held
    send_.sq.state.store(QueueState::kReady, std::memory_order_release);
    device_.wake_engine();
    if (i % 50 == 0) sleep_ms(5);
  }
  EXPECT_EQ(violations_with("mlx5_engine: send queue"), 0U);
}

/// A clock that cycles in 8.6 s.
constexpr std::uint64_t kWaitMask = (std::uint64_t{1} << 33) - 1;
constexpr std::uint64_t kMillisecond = 1'000'000;

TEST_F(SoftcxEngine, packet_that_waited_arrives_with_the_time_that_it_waited_for) {
  receive_.post(2048, region_.lkey, region_.address(2048));
  start(std::make_unique<DirectWire>(0));
  const std::uint64_t until = NicClock().now_ns() + 300 * kMillisecond;
  send_.post_wait(until, kWaitMask);
  send_one();
  timespec before{}, after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  sleep_ms(250);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const auto used_ns =
      (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
  EXPECT_LT(used_ns, 25'000'000) << "a long wait is slept through";
  EXPECT_EQ(received_.poll(), nullptr);
  const ringside::Cqe* cqe = nullptr;
  ASSERT_TRUE(wait_until([&] { return (cqe = received_.poll()) != nullptr; }));
  EXPECT_GE(NicClock().now_ns(), until);
  EXPECT_EQ(cqe->timestamp.value(), until);
}

TEST_F(SoftcxEngine, packets_in_device_memory_wait_as_well) {
  FakeGpu gpu;
  for (int i = 0; i < 2; ++i) receive_.post(2048, region_.lkey, region_.address(2048));
  start(std::make_unique<DirectWire>(0));
  std::string why;
  ASSERT_TRUE(device_.engine->attach(gpu, why)) << why;
  const std::uint32_t lkey = register_gpu(device_, gpu);
  const std::uint64_t until = NicClock().now_ns() + 300 * kMillisecond;
  send_.post(WqeOpcode::kSend, send_body(lkey, gpu.address(0), 60));
  send_.post_wait(until, kWaitMask);
  ring(send_.post(WqeOpcode::kSend, send_body(lkey, gpu.address(64), 60)));
  const ringside::Cqe* first = nullptr;
  const ringside::Cqe* second = nullptr;
  ASSERT_TRUE(wait_until([&] { return (first = received_.poll()) != nullptr; }));
  EXPECT_LT(first->timestamp.value(), until);
  ASSERT_TRUE(wait_until([&] { return (second = received_.poll()) != nullptr; }));
  EXPECT_EQ(second->timestamp.value(), until);
  engine_.reset();  // before the GPU
}

TEST_F(SoftcxEngine, queue_that_waits_can_be_reset) {
  for (int i = 0; i < 2; ++i) receive_.post(2048, region_.lkey, region_.address(2048));
  start(std::make_unique<DirectWire>(0));
  send_.post_wait(NicClock().now_ns() + 3000 * kMillisecond, kWaitMask);
  send_one();
  sleep_ms(5);
  send_.sq.state.store(QueueState::kReset);
  device_.engine->synchronize();
  send_.sq.consumer = 0;
  send_.next = 0;
  send_.write_record(0);
  send_.sq.state.store(QueueState::kReady);
  device_.engine->synchronize();
  send_one();
  const ringside::Cqe* cqe = nullptr;
  ASSERT_TRUE(wait_until([&] { return (cqe = received_.poll()) != nullptr; }, 1000));
}

TEST(SoftcxQuiescence, synchronize_returns_at_once_before_the_thread_starts) {
  Quiescence quiescence;
  quiescence.synchronize();
  EXPECT_TRUE(quiescence.pending());
}

TEST(SoftcxQuiescence, synchronize_waits_for_a_thread_that_is_awake) {
  Quiescence quiescence;
  std::atomic<bool> returned{false};
  quiescence.leave_sleep();
  std::thread control([&] {
    quiescence.synchronize();
    returned.store(true);
  });
  sleep_ms(30);
  EXPECT_FALSE(returned.load());
  ASSERT_TRUE(quiescence.pending());
  quiescence.acknowledge();
  control.join();
  EXPECT_TRUE(returned.load());
  EXPECT_FALSE(quiescence.pending());
}

}  // namespace
}  // namespace softcx
