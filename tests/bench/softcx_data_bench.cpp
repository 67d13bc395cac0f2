// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The software NIC's data path on one core: send WQE -> loop -> classification -> copy -> CQE, or
// send WQE -> null wire, for batches of WQEs as a driver posts them. The time of the driver's side
// is not measured.
#include <benchmark/benchmark.h>

#include <array>

#include "lib/softcx/data/port.hpp"
#include "lib/softcx/steering/steering.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/bench/data_path.hpp"
#include "tests/bench/large_region.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::WqeOpcode;

constexpr std::uint32_t kLogDepth = 10, kDepth = 1U << kLogDepth;
constexpr std::uint32_t kBatch = 256, kSlot = 2048;
constexpr std::size_t kCacheLine = 64;
constexpr std::uint32_t kTirn = 0x500, kLogQueues = 2;

/// A port with one send queue, and receive queues with buffers of their own.
class Bench {
 public:
  explicit Bench(std::uint32_t length, std::unique_ptr<Wire> wire, std::uint32_t flows = 1)
      : length_(length), port_(device_, std::move(wire), clock_) {
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      const Bytes frame = udp_frame(length, static_cast<std::uint16_t>(9 + i % flows));
      std::copy(frame.begin(), frame.end(), memory_.at(std::size_t{i} * kSlot));
      for (Receive& queue : receive_) {
        put_data_segment(queue.rq.wqe(static_cast<std::uint16_t>(i)), kSlot, queue.memory.lkey(),
                         queue.memory.address(std::size_t{i} * kSlot));
      }
    }
    for (std::uint32_t i = 0; i < receive_.size(); ++i) receive_[i].rq.rq.rqn = i;
    device_.classifier = &one_queue_;
    Receiver* const receivers[] = {&port_};
    port_.wire().attach(receivers);
  }
  /// One catch-all rule that leads to the first queue: the real classifier.
  void use_steering() {
    auto tir = std::make_unique<Tir>();
    tir->rq = &receive_[0].rq.rq;
    lead_to(std::move(tir));
  }
  /// The same, to all queues by their flow's hash.
  void use_rss() {
    auto table = std::make_unique<std::vector<Rq*>>();
    for (Receive& queue : receive_) table->push_back(&queue.rq.rq);
    auto rqt = std::make_unique<Rqt>();
    rqt->queues.store(table.release());
    auto tir = std::make_unique<Tir>();
    tir->indirect = tir->toeplitz = tir->l4_udp = true;
    tir->hash_fields = kHashSourceIp | kHashDestinationIp | kHashSourcePort | kHashDestinationPort;
    for (std::size_t i = 0; i < tir->hash_key.size(); ++i) {
      tir->hash_key[i] = static_cast<std::uint8_t>(0x6d + 37 * i);
    }
    tir->rqt = rqt.get();
    device_.rqts.emplace(kTirn + 1, std::move(rqt));
    lead_to(std::move(tir));
  }

  void post_sends() {
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      send_.post(WqeOpcode::kSend,
                 send_body(memory_.lkey(), memory_.address(send_.next % kDepth * kSlot), length_),
                 i + 1 == kBatch ? ringside::kCeAlways : ringside::kCeOnError);
    }
  }
  void post_multi_packet() {
    constexpr std::uint32_t kPackets = 4 * 16 - 3;
    Bytes body(sizeof(ringside::EthernetSegment) + kPackets * 16);
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      put_data_segment(body.data() + 16 + i * std::size_t{16}, length_, memory_.lkey(),
                       memory_.address((send_.next + i) % kDepth * kSlot));
    }
    send_.post(WqeOpcode::kEnhancedMpw, body);
  }
  /// What is measured: WQEs are rung for by so many at a time. Returns frames that went on the
  /// wire.
  std::uint64_t run(std::uint32_t burst) {
    const std::uint64_t before = device_.counters.tx_packets.load();
    while (send_.sq.producer != send_.next) {
      const auto left = static_cast<std::uint16_t>(send_.next - send_.sq.producer);
      send_.sq.producer =
          static_cast<std::uint16_t>(send_.sq.producer + std::min<std::uint32_t>(left, burst));
      clock_.tick();
      port_.transmitter().run(send_.sq, ~0U);
    }
    return device_.counters.tx_packets.load() - before;
  }
  void give_back() {
    sent_.cq.record->consumer_index = ringside::Be32::of(sent_.cq.producer);
    for (Receive& queue : receive_) {
      queue.done.cq.record->consumer_index = ringside::Be32::of(queue.done.cq.producer);
      queue.rq.write_record(static_cast<std::uint16_t>(queue.rq.rq.consumer + kDepth));
    }
  }
  /// Takes all that the next batch touches out of this CPU's caches, as if a device had written it.
  void evict() {
    const auto flush = [](const void* begin, std::size_t bytes) {
      const auto* at = static_cast<const std::uint8_t*>(begin);
      for (std::size_t i = 0; i < bytes; i += kCacheLine) __builtin_ia32_clflush(at + i);
    };
    const std::uint16_t first = static_cast<std::uint16_t>(send_.next - kBatch);
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      const auto index = static_cast<std::uint16_t>(first + i);
      flush(send_.block(index), ringside::kWqeBasicBlock);
      flush(memory_.at(std::size_t{index % kDepth} * kSlot), length_);
      Receive& queue = receive_[0];
      const std::uint32_t slot = (queue.rq.rq.consumer + i) % kDepth;
      flush(queue.memory.at(std::size_t{slot} * kSlot), length_);
      flush(&queue.done.ring[slot], sizeof(ringside::Cqe));
    }
    __builtin_ia32_mfence();
  }
  /// A benchmark of frames that are dropped on the way would look good.
  bool all_arrived() const {
    return device_.counters.rx_delivered.load() == device_.counters.rx_wire_packets.load() &&
           send_.sq.state.load() == QueueState::kReady;
  }

 private:
  struct Receive {
    explicit Receive(Device& device) : rq(device, done.cq, kLogDepth), memory(device, kBuffers) {}
    static constexpr std::size_t kBuffers = std::size_t{kDepth} * kSlot;
    CqUnderTest done{kLogDepth};
    RqUnderTest rq;
    LargeRegion memory;
  };

  void lead_to(std::unique_ptr<Tir> tir) {
    tir->tirn = kTirn;
    device_.tirs.emplace(kTirn, std::move(tir));
    SteeringDomain* domain = steering_.create_domain(DomainType::kNicReceive);
    Table* root = steering_.create_table(*domain, 0);
    Matcher* any = steering_.create_matcher(*root, 0, 0, {});
    Action* const target = steering_.create_target_action(kTirn);
    steering_.create_rule(*any, {}, {&target, 1});
    device_.classifier = &steering_;
  }

  std::uint32_t length_;
  Device device_{0, "0000:ca:00.0", "mlx5_bench", "uverbs0", ""};
  NicClock clock_;
  CqUnderTest sent_{kLogDepth};
  SqUnderTest send_{device_, sent_.cq, 0x300, kLogDepth};
  LargeRegion memory_{device_, std::size_t{kDepth} * kSlot};
  std::array<Receive, 1U << kLogQueues> receive_{Receive(device_), Receive(device_),
                                                 Receive(device_), Receive(device_)};
  OneQueue one_queue_{receive_[0].rq.rq};
  Steering steering_{device_};
  Port port_;
};

template <class Post>
void measure(benchmark::State& state, Bench& bench, Post post, std::uint32_t burst = kBatch) {
  std::uint64_t frames = 0;
  for (auto _ : state) {
    bench.give_back();
    post();
    const double start = thread_seconds();
    frames += bench.run(burst);
    state.SetIterationTime(thread_seconds() - start);
  }
  if (!bench.all_arrived()) state.SkipWithError("frames were lost");
  state.SetItemsProcessed(static_cast<std::int64_t>(frames));
}

std::uint32_t length_of(const benchmark::State& state) {
  return static_cast<std::uint32_t>(state.range(0));
}

std::unique_ptr<Wire> loop_wire() {
  return std::make_unique<DirectWire>(0);
}

/// What a sender alone costs: WQEs are taken off, every bound is checked, nothing is copied.
void null_wire(benchmark::State& state) {
  Bench bench(length_of(state), std::make_unique<NullWire>());
  measure(state, bench, [&] { bench.post_sends(); });
}

void send(benchmark::State& state) {
  Bench bench(length_of(state), loop_wire());
  measure(state, bench, [&] { bench.post_sends(); });
}

void send_with_steering(benchmark::State& state) {
  Bench bench(length_of(state), loop_wire(), static_cast<std::uint32_t>(state.range(1)));
  bench.use_steering();
  measure(state, bench, [&] { bench.post_sends(); });
}

#if defined(__x86_64__)
/// Everything has been written by a device, or another CPU, since the engine last had it.
void send_cold(benchmark::State& state) {
  Bench bench(length_of(state), loop_wire(), 1);
  bench.use_steering();
  const auto post = [&] {
    bench.post_sends();
    bench.evict();
  };
  measure(state, bench, post, static_cast<std::uint32_t>(state.range(1)));
}

void null_wire_cold(benchmark::State& state) {
  Bench bench(length_of(state), std::make_unique<NullWire>());
  measure(state, bench, [&] {
    bench.post_sends();
    bench.evict();
  });
}
BENCHMARK(send_cold)
    ->ArgNames({"bytes", "burst"})
    ->Args({64, kBatch})
    ->Args({64, 32})
    ->Args({1500, kBatch})
    ->UseManualTime();
BENCHMARK(null_wire_cold)->ArgName("bytes")->Arg(64)->UseManualTime();
#endif

void send_with_rss(benchmark::State& state) {
  Bench bench(length_of(state), loop_wire(), static_cast<std::uint32_t>(state.range(1)));
  bench.use_rss();
  measure(state, bench, [&] { bench.post_sends(); });
}

void multi_packet(benchmark::State& state) {
  Bench bench(length_of(state), loop_wire());
  measure(state, bench, [&] { bench.post_multi_packet(); });
}

BENCHMARK(null_wire)->ArgName("bytes")->Arg(64)->UseManualTime();
BENCHMARK(send)->ArgName("bytes")->Arg(64)->Arg(512)->Arg(1500)->UseManualTime();
BENCHMARK(send_with_steering)
    ->ArgNames({"bytes", "flows"})
    ->Args({64, 1})
    ->Args({64, 1024})
    ->Args({512, 1})
    ->Args({1500, 1})
    ->UseManualTime();
BENCHMARK(send_with_rss)->ArgNames({"bytes", "flows"})->Args({64, 1024})->UseManualTime();
BENCHMARK(multi_packet)->ArgName("bytes")->Arg(64)->UseManualTime();

}  // namespace
}  // namespace softcx
