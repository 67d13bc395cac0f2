// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Forwarding over loop ports with all threads running: each port has a driver thread that sends
// what it receives, as a kernel does, and the software NIC's engines bring it back. What is
// measured are frames a second of all ports; a driver costs as much as an engine at most.
//
// It needs a CPU for each thread: ports + engines of them.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "lib/base/relax.hpp"
#include "lib/softcx/data/engine.hpp"
#include "lib/softcx/steering/steering.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/bench/data_path.hpp"
#include "tests/bench/large_region.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kLogDepth = 10, kDepth = 1U << kLogDepth, kSlot = 2048;
/// Frames in circulation: fewer than half of the ring, since a slot stays taken until its send's
/// completion, which comes after the frame.
constexpr std::uint32_t kUnderWay = kDepth / 4, kBurst = 32;
constexpr std::uint32_t kFrame = 64, kSqn = 0x300;

/// A port whose receive slot i owns buffer i: frames go round, and a slot is given back when its
/// send has completed.
class ForwardingPort {
 public:
  explicit ForwardingPort(std::uint32_t number)
      : device_(number, "0000:ca:00.0", "mlx5_bench" + std::to_string(number), "uverbs", "") {
    device_.classifier = &steering_;
    send_.sq.consumer = 0;
    send_.sq.uar = &uar_;
    uar_.page = reinterpret_cast<std::uint8_t*>(page_.data());
    uar_.send_queues.store(new std::vector<Sq*>{&send_.sq});
    device_.uars.store(new std::vector<Uar*>{&uar_});
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      put_data_segment(receive_.wqe(static_cast<std::uint16_t>(i)), kSlot, memory_.lkey(),
                       memory_.address(std::size_t{i} * kSlot));
    }
    receive_.write_record(kDepth - kUnderWay);  // the other slots hold the first frames
    steer_to_queue();
  }
  ~ForwardingPort() { delete uar_.send_queues.load(); }

  Device& device() { return device_; }
  std::uint64_t delivered() const { return device_.counters.rx_delivered.load(); }
  bool lost_some() const {
    return device_.counters.rx_out_of_buffer.load() != 0 ||
           send_.sq.state.load() != QueueState::kReady;
  }

  /// The driver: puts kUnderWay frames into circulation, then sends what comes back.
  void drive(const std::atomic<bool>& over) {
    for (std::uint32_t i = 0; i < kUnderWay; ++i) {
      const Bytes frame = udp_frame(kFrame, static_cast<std::uint16_t>(i));
      const std::size_t buffer = (kDepth - kUnderWay + i) * std::size_t{kSlot};
      std::copy(frame.begin(), frame.end(), memory_.at(buffer));
      post(buffer);
    }
    ring();
    ringside::Relax idle;
    while (!over.load(std::memory_order_relaxed)) {
      while (sent_.poll() != nullptr) sends_done_ += kBurst;
      sent_.give_back();
      receive_.write_record(static_cast<std::uint16_t>(kDepth - kUnderWay + sends_done_));
      std::uint32_t burst = 0;
      for (const ringside::Cqe* cqe = nullptr; burst < kBurst && (cqe = arrived_.poll()); ++burst) {
        post(std::size_t{cqe->wqe_counter.value() % kDepth} * kSlot);
      }
      if (burst == 0) {
        idle.relax();
        continue;
      }
      idle.reset();
      arrived_.give_back();
      ring();
    }
  }

 private:
  void steer_to_queue() {
    auto tir = std::make_unique<Tir>();
    tir->tirn = 0x500;
    tir->rq = &receive_.rq;
    device_.tirs.emplace(tir->tirn, std::move(tir));
    SteeringDomain* domain = steering_.create_domain(DomainType::kNicReceive);
    Table* root = steering_.create_table(*domain, 0);
    Matcher* any = steering_.create_matcher(*root, 0, 0, {});
    Action* const target = steering_.create_target_action(0x500);
    steering_.create_rule(*any, {}, {&target, 1});
  }
  void post(std::size_t buffer) {
    ringside::SendWqe wqe{};
    wqe.control.opmod_idx_opcode =
        ringside::Be32::of(ringside::opmod_idx_opcode(send_.next, ringside::WqeOpcode::kSend));
    wqe.control.qpn_ds = ringside::Be32::of(ringside::qpn_ds(kSqn, ringside::kSendWqeSegments));
    if (++unsignalled_ == kBurst) {
      wqe.control.fm_ce_se = ringside::kCeAlways;
      unsignalled_ = 0;
    }
    wqe.data = {ringside::Be32::of(kFrame), ringside::Be32::of(memory_.lkey()),
                ringside::Be64::of(memory_.address(buffer))};
    std::memcpy(send_.block(send_.next++), &wqe, ringside::kSendWqeSegments * 16);
  }
  void ring() {
    send_.write_record(send_.next);
    std::atomic_ref<std::uint64_t>(page_[ringside::kUarDoorbellOffset / 8])
        .store(send_.doorbell(static_cast<std::uint16_t>(send_.next - 1)),
               std::memory_order_release);
  }

  Device device_;
  Steering steering_{device_};
  CqUnderTest sent_{kLogDepth}, arrived_{kLogDepth};
  SqUnderTest send_{device_, sent_.cq, kSqn, kLogDepth};
  RqUnderTest receive_{device_, arrived_.cq, kLogDepth};
  LargeRegion memory_{device_, std::size_t{kDepth} * kSlot};
  std::vector<std::uint64_t> page_ = std::vector<std::uint64_t>(512);
  Uar uar_;
  std::uint32_t unsignalled_ = 0, sends_done_ = 0;
};

void forward(benchmark::State& state) {
  const auto ports = static_cast<std::uint32_t>(state.range(0));
  const auto engines_wanted = static_cast<std::size_t>(state.range(1));
  std::vector<std::unique_ptr<ForwardingPort>> all;
  std::vector<EnginePort> engine_ports;
  for (std::uint32_t i = 0; i < ports; ++i) {
    all.push_back(std::make_unique<ForwardingPort>(i));
    engine_ports.push_back({&all.back()->device(), std::make_unique<DirectWire>(i), i});
  }
  const auto engines = start_engines(std::move(engine_ports), engines_wanted);
  std::atomic<bool> over{false};
  std::vector<std::thread> drivers;
  for (const auto& port : all) drivers.emplace_back([&] { port->drive(over); });
  const auto delivered = [&] {
    std::uint64_t sum = 0;
    for (const auto& port : all) sum += port->delivered();
    return sum;
  };
  constexpr auto kSlice = std::chrono::milliseconds(20);
  std::this_thread::sleep_for(kSlice);
  std::uint64_t frames = 0;
  for (auto _ : state) {
    const std::uint64_t before = delivered();
    std::this_thread::sleep_for(kSlice);
    frames += delivered() - before;
  }
  over.store(true);
  for (std::thread& driver : drivers) driver.join();
  engines->stop();
  for (const auto& port : all) {
    if (port->lost_some()) state.SkipWithError("frames were lost");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

BENCHMARK(forward)
    ->ArgNames({"ports", "engines"})
    ->Args({1, 1})
    ->Args({2, 1})
    ->Args({2, 2})
    ->Args({4, 4})
    ->Args({7, 7})
    ->UseRealTime();

}  // namespace
}  // namespace softcx
