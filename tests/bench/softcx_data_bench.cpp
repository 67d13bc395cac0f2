// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The software NIC's data path on one core: send WQE -> loop -> classification -> copy -> CQE, for
// batches of WQEs as a driver posts them. The time of the driver's side is not measured.
#include <benchmark/benchmark.h>

#include <time.h>

#include "lib/softcx/data/port.hpp"
#include "lib/softcx/steering/steering.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "lib/softcx/wire/internet_checksum.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::WqeOpcode;

constexpr std::uint32_t kLogDepth = 10, kDepth = 1U << kLogDepth;
constexpr std::uint32_t kBatch = 256, kSlot = 2048;
constexpr std::uint32_t kTirn = 0x500;

/// Everything goes to one queue: what the data path costs without steering.
class OneQueue final : public Classifier {
 public:
  explicit OneQueue(Rq& rq) : rq_(rq) {}
  Verdict classify(std::span<const std::uint8_t> /*headers*/, std::uint32_t /*frame_length*/,
                   HeaderFacts& /*facts*/) override {
    return {Verdict::Kind::kDeliver, &rq_, false, 0, 0, 0};
  }
  bool reaches_ready_queue() const override { return true; }

 private:
  Rq& rq_;
};

/// UDP over IPv4, with right checksums.
Bytes udp_frame(std::uint32_t length) {
  Bytes frame(length);
  const Bytes headers = {2, 0,  0,  0, 0, 2,  2, 0, 0, 0,  0, 1, 8, 0, 0x45, 0,    0,  0, 0, 1, 0,
                         0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 9,    0x27, 16, 0, 0, 0, 0};
  std::copy(headers.begin(), headers.end(), frame.begin());
  frame[16] = static_cast<std::uint8_t>((length - 14) >> 8);
  frame[17] = static_cast<std::uint8_t>(length - 14);
  frame[38] = static_cast<std::uint8_t>((length - 34) >> 8);
  frame[39] = static_cast<std::uint8_t>(length - 34);
  write_l4_checksum(frame);
  write_ipv4_checksum(frame);
  return frame;
}

class Loop {
 public:
  explicit Loop(std::uint32_t length) : length_(length) {
    const Bytes frame = udp_frame(length);
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      std::copy(frame.begin(), frame.end(), memory_.bytes.begin() + i * kSlot);
      put_data_segment(receive_.wqe(static_cast<std::uint16_t>(i)), kSlot, memory_.lkey,
                       memory_.address((kDepth + i) * kSlot));
    }
    device_.classifier = &one_queue_;
    Receiver* const receivers[] = {&port_};
    port_.wire().attach(receivers);
  }
  /// One catch-all rule that leads to the queue: the real classifier with its parser.
  void use_steering() {
    auto tir = std::make_unique<Tir>();
    tir->tirn = kTirn;
    tir->rq = &receive_.rq;
    device_.tirs.emplace(kTirn, std::move(tir));
    SteeringDomain* domain = steering_.create_domain(DomainType::kNicReceive);
    Table* root = steering_.create_table(*domain, 0);
    Matcher* any = steering_.create_matcher(*root, 0, 0, {});
    Action* const target = steering_.create_target_action(kTirn);
    steering_.create_rule(*any, {}, {&target, 1});
    device_.classifier = &steering_;
  }

  void post_sends() {
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      send_.post(WqeOpcode::kSend,
                 send_body(memory_.lkey, memory_.address(send_.next % kDepth * kSlot), length_),
                 i + 1 == kBatch ? ringside::kCeAlways : ringside::kCeOnError);
    }
  }
  void post_multi_packet() {
    constexpr std::uint32_t kPackets = 4 * 16 - 3;
    Bytes body(sizeof(ringside::EthernetSegment) + kPackets * 16);
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      put_data_segment(body.data() + 16 + i * std::size_t{16}, length_, memory_.lkey,
                       memory_.address((send_.next + i) % kDepth * kSlot));
    }
    send_.post(WqeOpcode::kEnhancedMpw, body);
  }
  /// What is measured. Returns frames.
  std::uint64_t run() {
    const std::uint64_t before = device_.counters.rx_delivered.load();
    send_.sq.producer = send_.next;
    clock_.tick();
    port_.transmitter().run(send_.sq, ~0U);
    return device_.counters.rx_delivered.load() - before;
  }
  void give_back() {
    sent_.cq.record->consumer_index = ringside::Be32::of(sent_.cq.producer);
    received_.cq.record->consumer_index = ringside::Be32::of(received_.cq.producer);
    receive_.write_record(static_cast<std::uint16_t>(receive_.rq.consumer + kDepth));
  }

 private:
  std::uint32_t length_;
  Device device_{0, "0000:ca:00.0", "mlx5_bench", "uverbs0", ""};
  NicClock clock_;
  CqUnderTest sent_{kLogDepth}, received_{kLogDepth};
  SqUnderTest send_{device_, sent_.cq, 0x300, kLogDepth};
  RqUnderTest receive_{device_, received_.cq, kLogDepth};
  Region memory_{device_, std::size_t{2} * kDepth* kSlot};
  OneQueue one_queue_{receive_.rq};
  Steering steering_{device_};
  Port port_{device_, std::make_unique<DirectWire>(0), clock_};
};

/// CPU time, so that neighbours on a shared machine do not count.
double thread_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

template <class Post>
void measure(benchmark::State& state, Loop& loop, Post post) {
  std::uint64_t frames = 0;
  for (auto _ : state) {
    loop.give_back();
    post();
    const double start = thread_seconds();
    frames += loop.run();
    state.SetIterationTime(thread_seconds() - start);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

void send(benchmark::State& state) {
  Loop loop(static_cast<std::uint32_t>(state.range(0)));
  measure(state, loop, [&] { loop.post_sends(); });
}

void send_with_steering(benchmark::State& state) {
  Loop loop(static_cast<std::uint32_t>(state.range(0)));
  loop.use_steering();
  measure(state, loop, [&] { loop.post_sends(); });
}

void multi_packet(benchmark::State& state) {
  Loop loop(static_cast<std::uint32_t>(state.range(0)));
  measure(state, loop, [&] { loop.post_multi_packet(); });
}

BENCHMARK(send)->Arg(64)->Arg(512)->Arg(1500)->UseManualTime();
BENCHMARK(send_with_steering)->Arg(64)->Arg(512)->Arg(1500)->UseManualTime();
BENCHMARK(multi_packet)->Arg(64)->UseManualTime();

}  // namespace
}  // namespace softcx
