// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What packets in device memory cost the software NIC's core: fetching sends, the loop, held
// completions. The copies themselves, which a GPU makes beside it, are not measured, nor is the
// driver's side.
#include <benchmark/benchmark.h>

#include "lib/softcx/data/port.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/bench/data_path.hpp"
#include "tests/unit/softcx_data_copy_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::WqeOpcode;

constexpr std::uint32_t kLogDepth = 11, kDepth = 1U << kLogDepth;
constexpr std::uint32_t kBatch = 1024, kSlot = 2048, kLength = 64;

/// Copies when it is told to.
class ManualGpu final : public CopyEngine {
 public:
  std::unique_ptr<CopyWorker> open_worker(std::string& /*why*/) override {
    auto worker = std::make_unique<Worker>();
    worker_ = worker.get();
    return worker;
  }
  void copy() {
    CopyArea& area = worker_->area();
    const std::uint32_t ready = ready_chunks(area.order);
    for (; chunk_ != ready; ++chunk_) {
      for (const CopyDescriptor& copy : chunk_of(area, chunk_)) {
        auto* const device = reinterpret_cast<std::uint8_t*>(copy.device);
        const std::uint32_t length = copy.length & ~CopyDescriptor::kToDevice;
        const bool in = length != copy.length;
        std::memcpy(in ? device : area.staging + copy.staging,
                    in ? area.staging + copy.staging : device, length);
      }
      area.done[chunk_ % kCopyRingChunks] = done_mark(chunk_);
    }
  }

 private:
  class Worker final : public CopyWorker {
   public:
    CopyArea& area() noexcept override { return *area_; }
    bool start(std::uint32_t, std::uint32_t) noexcept override { return true; }
    bool healthy() noexcept override { return true; }
    std::string failure() const override { return ""; }

   private:
    std::unique_ptr<CopyArea> area_ = std::make_unique<CopyArea>();
  };

  Worker* worker_ = nullptr;
  std::uint32_t chunk_ = 0;
};

class Bench {
 public:
  /// `on_gpu`: where packets are; the GPU is attached in any case.
  explicit Bench(std::unique_ptr<Wire> wire, bool on_gpu)
      : port_(device_, std::move(wire), clock_, &dma_) {
    std::string why;
    dma_.attach(gpu_, why);
    dma_.settle();
    auto key = std::make_unique<Mkey>();
    key->pdn = Region::kPdn;
    key->iova = address(0);
    key->local_write = true;
    key->memory = {memory_.data(), memory_.size(), nullptr, 0, on_gpu ? &gpu_ : nullptr};
    lkey_ = device_.add_mkey(std::move(key));
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      const Bytes frame = pattern(kLength);
      std::copy(frame.begin(), frame.end(), memory_.begin() + i * kSlot);
      put_data_segment(receive_.wqe(static_cast<std::uint16_t>(i)), kSlot, lkey_,
                       address(kDepth + i));
    }
    device_.classifier = &classifier_;
    Receiver* const receivers[] = {&port_};
    port_.wire().attach(receivers);
  }
  void post() {
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      send_.post(WqeOpcode::kSend, send_body(lkey_, address(send_.next % kDepth), kLength),
                 i + 1 == kBatch ? ringside::kCeAlways : ringside::kCeOnError);
    }
    send_.sq.producer = send_.next;
    sent_.cq.record->consumer_index = ringside::Be32::of(sent_.cq.producer);
    done_.cq.record->consumer_index = ringside::Be32::of(done_.cq.producer);
    receive_.write_record(static_cast<std::uint16_t>(receive_.rq.consumer + kDepth));
  }
  /// A round of the engine. False: all is done.
  bool round() {
    const std::uint32_t work = port_.transmitter().run(send_.sq, 256);
    return dma_.turn() || work != 0;
  }
  void copy() { gpu_.copy(); }
  std::uint64_t sent() const { return device_.counters.tx_packets.load(); }
  /// A benchmark of frames that are dropped on the way would look good.
  bool all_arrived() const {
    return device_.counters.rx_delivered.load() == device_.counters.rx_wire_packets.load() &&
           send_.sq.state.load() == QueueState::kReady;
  }

 private:
  std::uint64_t address(std::size_t slot) const {
    return reinterpret_cast<std::uintptr_t>(memory_.data()) + slot * kSlot;
  }

  Device device_{0, "0000:ca:00.0", "mlx5_bench", "uverbs0", ""};
  NicClock clock_;
  ManualGpu gpu_;
  DeviceDma dma_;
  Bytes memory_ = Bytes(std::size_t{2} * kDepth * kSlot);
  std::uint32_t lkey_ = 0;
  CqUnderTest sent_{kLogDepth}, done_{kLogDepth};
  SqUnderTest send_{device_, sent_.cq, 0x300, kLogDepth};
  RqUnderTest receive_{device_, done_.cq, kLogDepth};
  OneQueue classifier_{receive_.rq};
  Port port_;
};

void measure(benchmark::State& state, std::unique_ptr<Wire> wire, bool on_gpu = true) {
  Bench bench(std::move(wire), on_gpu);
  for (auto _ : state) {
    bench.post();
    double seconds = 0;
    for (bool busy = true; busy;) {
      const double start = thread_seconds();
      busy = bench.round();
      seconds += thread_seconds() - start;
      bench.copy();
    }
    state.SetIterationTime(seconds);
  }
  if (!bench.all_arrived()) state.SkipWithError("frames were lost");
  state.SetItemsProcessed(static_cast<std::int64_t>(bench.sent()));
}

void null_wire(benchmark::State& state) {
  measure(state, std::make_unique<NullWire>());
}
void loop(benchmark::State& state) {
  measure(state, std::make_unique<DirectWire>(0));
}
/// A queue of host memory beside those that send from a GPU's.
void host_memory(benchmark::State& state) {
  measure(state, std::make_unique<NullWire>(), false);
}
BENCHMARK(null_wire)->UseManualTime();
BENCHMARK(host_memory)->UseManualTime();
BENCHMARK(loop)->UseManualTime();

}  // namespace
}  // namespace softcx
