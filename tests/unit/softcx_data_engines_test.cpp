// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Several engine threads in one process. The test is the driver of all ports, and their control
// path.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/relax.hpp"
#include "lib/softcx/data/engine.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "lib/softcx/wire/port_groups.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::Deadline;
using ringside::WqeOpcode;

constexpr std::uint32_t kLogDepth = 6, kDepth = 1U << kLogDepth;
constexpr std::uint64_t kPatienceMs = 20'000;

template <class Condition>
bool wait_until(Condition condition) {
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  while (!condition()) {
    if (deadline.passed()) return false;
    sched_yield();
  }
  return true;
}

/// A port with its rings and its driver. Each send carries the driver's number and a count.
struct TestPort {
  explicit TestPort(std::uint32_t number)
      : device(number, "0000:ca:00.0", "mlx5_engines" + std::to_string(number), "uverbs", "") {
    device.classifier = &classifier;
    classifier.verdict = {Verdict::Kind::kDeliver, &receive.rq, false, 0, 0, 0};
    send.sq.consumer = 0;
    send.sq.uar = &uar;
    uar.page = reinterpret_cast<std::uint8_t*>(page.data());
    uar.send_queues.store(new std::vector<Sq*>{&send.sq});
    device.uars.store(new std::vector<Uar*>{&uar});
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      put_data_segment(receive.wqe(static_cast<std::uint16_t>(i)), kSlot, memory.lkey,
                       memory.address((kDepth + i) * kSlot));
    }
    receive.write_record(kDepth);
  }
  ~TestPort() { delete uar.send_queues.load(); }

  void send_one() {
    const std::size_t slot = send.next % kDepth * kSlot;
    std::memcpy(memory.bytes.data() + slot, &device.index, sizeof(device.index));
    std::memcpy(memory.bytes.data() + slot + 4, &sends, sizeof(sends));
    ++sends;
    const std::uint16_t index =
        send.post(WqeOpcode::kSend, send_body(memory.lkey, memory.address(slot), 60));
    send.write_record(send.next);
    std::atomic_ref<std::uint64_t>(page[ringside::kUarDoorbellOffset / 8])
        .store(send.doorbell(index), std::memory_order_release);
  }
  bool sent() {
    if (done.poll() == nullptr) return false;
    done.give_back();
    return true;
  }
  /// The sender's number and the count of the next frame, if it has arrived.
  std::optional<std::pair<std::uint32_t, std::uint64_t>> take() {
    const ringside::Cqe* cqe = arrived.poll();
    if (cqe == nullptr) return std::nullopt;
    std::pair<std::uint32_t, std::uint64_t> tag;
    const std::uint8_t* slot =
        memory.bytes.data() + (kDepth + cqe->wqe_counter.value() % kDepth) * kSlot;
    std::memcpy(&tag.first, slot, sizeof(tag.first));
    std::memcpy(&tag.second, slot + 4, sizeof(tag.second));
    arrived.give_back();
    receive.write_record(static_cast<std::uint16_t>(kDepth + arrived.consumer));
    return tag;
  }

  static constexpr std::size_t kSlot = 64;
  Device device;
  ScriptedClassifier classifier;
  CqUnderTest done{kLogDepth}, arrived{kLogDepth};
  SqUnderTest send{device, done.cq, 0x300, kLogDepth};
  RqUnderTest receive{device, arrived.cq, kLogDepth};
  Region memory{device, std::size_t{2} * kDepth* kSlot};
  std::vector<std::uint64_t> page = std::vector<std::uint64_t>(512);
  Uar uar;
  std::uint64_t sends = 0;
};

/// Sends `frames` and takes as many from the port that they arrive at; at most half a ring is under
/// way. Stops at the first that is not `sender`'s next one; returns how many were right.
std::uint64_t drive(TestPort& from, TestPort& to, std::uint64_t frames) {
  std::uint64_t finished = 0, taken = 0;
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  while ((taken < frames || finished < frames) && !deadline.passed()) {
    if (from.sends < frames && from.sends - std::min(finished, taken) < kDepth / 2) from.send_one();
    if (from.sent()) ++finished;
    if (const auto tag = to.take()) {
      if (tag->first != from.device.index || tag->second != taken) return taken;
      ++taken;
    }
    if (from.sends == frames) sched_yield();
  }
  return taken;
}

EnginePort loop(TestPort& port, std::size_t place, std::size_t group) {
  return {&port.device, std::make_unique<DirectWire>(place), group};
}

template <class... Ports>
std::vector<EnginePort> list(Ports... ports) {
  std::vector<EnginePort> all;
  (all.push_back(std::move(ports)), ...);
  return all;
}

/// A wire that holds its engine thread for as long as the test likes.
class HoldingWire final : public Wire {
 public:
  bool transmit(const Frame& /*frame*/) override {
    entered.store(true);
    ringside::Relax wait;
    const Deadline deadline = Deadline::after_ms(kPatienceMs);
    while (!released.load() && !deadline.passed()) wait.relax();
    return true;
  }
  std::atomic<bool> entered{false}, released{false};
};

TEST(SoftcxEngines, each_of_two_loop_ports_forwards_everything_on_an_engine_of_its_own) {
  constexpr std::uint64_t kFrames = 20'000;
  TestPort left(0), right(1);
  const auto engines = start_engines(list(loop(left, 0, 0), loop(right, 1, 1)), 2);
  EXPECT_NE(left.device.engine, right.device.engine);
  std::future<std::uint64_t> other =
      std::async(std::launch::async, [&] { return drive(left, left, kFrames); });
  EXPECT_EQ(drive(right, right, kFrames), kFrames);
  EXPECT_EQ(other.get(), kFrames);
  engines->stop();
  for (TestPort* port : {&left, &right}) {
    const PortCounters& counters = port->device.counters;
    EXPECT_EQ(counters.tx_packets.load(), kFrames);
    EXPECT_EQ(counters.tx_bytes.load(), 60 * kFrames);
    EXPECT_EQ(counters.rx_wire_packets.load(), kFrames);
    EXPECT_EQ(counters.rx_delivered.load(), kFrames);
    EXPECT_EQ(violations_with(port->device.ibdev), 0U);
  }
}

TEST(SoftcxEngines, cross_wired_ports_exchange_frames_while_another_port_has_its_own_engine) {
  constexpr std::uint64_t kFrames = 5'000;
  TestPort first(0), alone(1), second(2);
  const auto engines = start_engines(
      list(EnginePort{&first.device, std::make_unique<DirectWire>(2), 0}, loop(alone, 1, 1),
           EnginePort{&second.device, std::make_unique<DirectWire>(0), 0}),
      2);
  EXPECT_EQ(first.device.engine, second.device.engine);
  EXPECT_NE(first.device.engine, alone.device.engine);
  std::future<std::uint64_t> other =
      std::async(std::launch::async, [&] { return drive(alone, alone, kFrames); });
  EXPECT_EQ(drive(first, second, kFrames), kFrames);
  EXPECT_EQ(drive(second, first, kFrames), kFrames);
  EXPECT_EQ(other.get(), kFrames);
}

TEST(SoftcxEngines, one_engine_serves_what_has_no_engine_of_its_own) {
  TestPort ports[] = {TestPort(0), TestPort(1), TestPort(2)};
  const auto engines =
      start_engines(list(loop(ports[0], 0, 0), loop(ports[1], 1, 1), loop(ports[2], 2, 2)), 2);
  EXPECT_EQ(ports[0].device.engine, ports[2].device.engine);
  for (TestPort& port : ports) EXPECT_EQ(drive(port, port, 100), 100U);
}

TEST(SoftcxEngines, control_path_waits_for_the_engine_of_its_port_only) {
  TestPort held(0), free(1);
  auto owned = std::make_unique<HoldingWire>();
  HoldingWire& wire = *owned;
  const auto engines =
      start_engines(list(EnginePort{&held.device, std::move(owned), 0}, loop(free, 1, 1)), 2);
  held.send_one();
  ASSERT_TRUE(wait_until([&] { return wire.entered.load(); }));
  std::atomic<bool> returned{false};
  std::thread control([&] {
    held.device.quiesce();
    returned.store(true);
  });
  free.device.quiesce();  // does not hang
  free.device.wake_engine();
  EXPECT_EQ(drive(free, free, 100), 100U);
  EXPECT_FALSE(returned.load());
  wire.released.store(true);
  control.join();
}

// Run it under the address and thread sanitizers: they see a use after free, or a race.
TEST(SoftcxEngines, keys_of_each_port_may_be_freed_while_all_engines_move_packets) {
  constexpr std::uint64_t kFrames = 5'000;
  TestPort left(0), right(1);
  const auto engines = start_engines(list(loop(left, 0, 0), loop(right, 1, 1)), 2);
  std::atomic<bool> over{false};
  std::thread control([&] {
    do {
      for (Device* device : {&left.device, &right.device}) {
        EXPECT_TRUE(device->remove_mkey(Region(*device, 64).lkey));
      }
    } while (!over.load());
  });
  std::future<std::uint64_t> other =
      std::async(std::launch::async, [&] { return drive(left, left, kFrames); });
  EXPECT_EQ(drive(right, right, kFrames), kFrames);
  EXPECT_EQ(other.get(), kFrames);
  over.store(true);
  control.join();
}

TEST(SoftcxEngines, reports_are_in_the_order_of_the_ports_whatever_engine_has_them) {
  TestPort ports[] = {TestPort(0), TestPort(1), TestPort(2)};
  const auto engines =
      start_engines(list(loop(ports[0], 0, 1), loop(ports[1], 1, 0), loop(ports[2], 2, 1)), 2);
  engines->stop();
  engines->stop();
  const std::vector<PortReport> reports = engines->reports();
  ASSERT_EQ(reports.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(reports[i].device->index, i);
  for (TestPort& port : ports) port.device.quiesce();  // returns at once
}

/// A loop with somebody behind it who sees a packet's completion at once.
class WatchedLoop final : public Wire {
 public:
  WatchedLoop(std::size_t port, std::function<void()> arrived)
      : loop_(port), arrived_(std::move(arrived)) {}
  void attach(std::span<Receiver* const> ports) override { loop_.attach(ports); }
  bool transmit(const Frame& frame) override {
    loop_.transmit(frame);
    arrived_();
    return true;
  }

 private:
  DirectWire loop_;
  std::function<void()> arrived_;
};

/// A port that receives into the memory of a GPU, while kernels poll RAM for the completions, which
/// so come first; and a port that sends from there.
class SoftcxEnginesInOrder : public testing::TestWithParam<std::size_t> {
 protected:
  SoftcxEnginesInOrder() {
    for (TestPort* port : {&from_, &to_}) port->device.completion_follows_data = false;
    from_.arrived.cq.home = {0, true};
    from_.device.mkey_at(from_.memory.lkey >> 8)->memory.home = {1, true};
    auto key = std::make_unique<Mkey>();
    key->pdn = Region::kPdn;
    key->iova = from_.memory.address(0);
    key->memory.base = from_.memory.bytes.data();
    key->memory.length = from_.memory.bytes.size();
    lkey_ = to_.device.add_mkey(std::move(key));
  }
  /// The second port sends what the first one has just received.
  void pass_on() {
    const ringside::Cqe* received = from_.arrived.poll();
    if (received == nullptr) return;
    const std::size_t slot = kDepth + received->wqe_counter.value() % kDepth;
    SqUnderTest& send = to_.send;
    const std::uint16_t index = send.post(
        WqeOpcode::kSend, send_body(lkey_, from_.memory.address(slot * TestPort::kSlot), 60));
    send.write_record(send.next);
    std::atomic_ref<std::uint64_t>(to_.page[ringside::kUarDoorbellOffset / 8])
        .store(send.doorbell(index), std::memory_order_release);
  }

  TestPort from_{0}, to_{1};
  std::uint32_t lkey_ = 0;  ///< of the first port's memory, to the second one
};

// PCIe: a read pushes the writes before it on its path, and a NIC's ports share one.
TEST_P(SoftcxEnginesInOrder, what_one_port_received_another_port_reads) {
  auto watched = std::make_unique<WatchedLoop>(0, [&] { pass_on(); });
  const auto engines = start_engines(
      list(EnginePort{&from_.device, std::move(watched), 0}, loop(to_, 1, 1)), GetParam());
  for (std::uint64_t i = 0; i < kDepth / 2; ++i) {
    from_.send_one();
    std::optional<std::pair<std::uint32_t, std::uint64_t>> tag;
    ASSERT_TRUE(wait_until([&] { return (tag = to_.take()).has_value(); }));
    EXPECT_EQ(tag->first, from_.device.index);
    ASSERT_EQ(tag->second, i) << "what lay there before the packet";
    ASSERT_TRUE(wait_until([&] { return from_.sent(); }));
    ASSERT_TRUE(wait_until([&] { return to_.sent(); }));
  }
  engines->stop();
}

INSTANTIATE_TEST_SUITE_P(OfEngines, SoftcxEnginesInOrder, testing::Values(1U, 2U));

TEST(SoftcxEngines, default_is_one_a_group_but_half_of_the_cpus_at_most) {
  EXPECT_EQ(default_engines(4, 16), 4U);
  EXPECT_EQ(default_engines(16, 16), 8U);
  EXPECT_EQ(default_engines(2, 2), 1U);
  EXPECT_EQ(default_engines(2, 1), 1U);
}

TEST(SoftcxPortGroups, cross_wired_ports_are_one_group) {
  Config config;
  config.ports.resize(5);
  const auto cross = [&](std::size_t port, std::uint32_t peer) {
    config.ports[port].wire.kind = WireKind::kCross;
    config.ports[port].wire.peer = peer;
  };
  cross(0, 3), cross(3, 0);
  config.ports[1].wire.kind = WireKind::kNull;
  cross(2, 4), cross(4, 2);
  EXPECT_EQ(port_groups(config), (std::vector<std::size_t>{0, 1, 2, 0, 2}));
}

}  // namespace
}  // namespace softcx
