// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of each call of a semaphore's two ends, in GPU memory, where what they look for is
// there: one scope is both.
#include "lib/device/semaphore.hpp"
#include "tests/bench/gpu_send/cost.hpp"
#include "tests/bench/gpu_send/cycles.cuh"
#include "tests/bench/gpu_send/scopes.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLogItems = 11;
constexpr std::uint32_t kRounds = 2000;

struct Job {
  std::uint64_t number;
  std::uint64_t answer;
};

enum Call : std::uint32_t { kSend, kTake, kDone, kCollect };

/// An item a thread, in each round; as rank 0 sees it.
template <class As>
__global__ void __launch_bounds__(1024)
    hands_on(const __grid_constant__ SemaphoreHandle<Job> handle, Cycles* cycles,
             unsigned long long* right) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  SemaphoreProducer<Job, Reach::kDevice> producer(handle);
  SemaphoreConsumer<Job, Reach::kDevice> consumer(handle);
  unsigned long long own_right = 0;
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::uint64_t first = producer.posted();
    scope.sync();
    counter.start();
    producer.send(
        scope, scope.size(),
        [&](std::uint32_t i) {
          return Job{first + i, 0};
        },
        0);
    counter.spent(kSend, scope.size());
    scope.sync();
    counter.start();
    const SemaphoreBatch taken = consumer.take(scope, scope.size(), 0);
    counter.spent(kTake, scope.size());
    if (scope.rank() < taken.count) {
      const std::uint64_t mine = taken.first + scope.rank();
      consumer.item(mine).answer = consumer.item(mine).number + 1;
      counter.start();
      consumer.done(mine);
      counter.spent(kDone, scope.size());
    }
    scope.sync();
    counter.start();
    const SemaphoreBatch back = producer.collect(scope, scope.size(), 0);
    counter.spent(kCollect, scope.size());
    if (scope.rank() < back.count) {
      const Job job = producer.item(back.first + scope.rank());
      own_right += job.number == back.first + scope.rank() && job.answer == job.number + 1;
    }
  }
  if (scope.rank() == 0) counter.add_to(*cycles);
  atomicAdd(right, own_right);
}

template <class As>
void measure(std::uint32_t threads, std::vector<Cost>& costs) {
  const auto run = [&](Cost& cost) {
    const DeviceArray<std::uint64_t> ring(semaphore_bytes<Job>(kLogItems) / sizeof(std::uint64_t));
    const DeviceArray<Cycles> cycles(1);
    const DeviceArray<unsigned long long> right(1);
    hands_on<As>
        <<<1, threads>>>(semaphore_in<Job>(ring.get(), kLogItems), cycles.get(), right.get());
    check(cudaGetLastError(), "semaphores");
    check(cudaDeviceSynchronize(), "the run");
    const unsigned long long all = static_cast<unsigned long long>(kRounds) * threads;
    cost.faults.clear();
    if (right.values()[0] != all) {
      cost.faults.push_back(std::to_string(right.values()[0]) + " items of " + std::to_string(all) +
                            " came back with their answers");
    }
    return cycles.values()[0];
  };
  Cost cost{.who = "ringside",
            .queue = "semaphore",
            .sharing = "exclusive",
            .scope = As::kName,
            .threads = threads,
            .unit = "item"};
  run(cost);  // clocks and caches warm up
  const Cycles cycles = run(cost);
  static constexpr const char* kCalls[] = {"send", "take", "done", "collect"};
  for (std::uint32_t call = 0; call < 4; ++call) {
    cost.call = kCalls[call];
    cost.cycles = cycles.of(call);
    costs.push_back(cost);
  }
}

}  // namespace

std::vector<Cost> semaphore_costs() {
  std::vector<Cost> costs;
  measure<AsThread>(1, costs);
  measure<AsWarp>(32, costs);
  for (const std::uint32_t threads : kCostThreads) {
    if (threads >= 32) measure<AsBlock>(threads, costs);
  }
  return costs;
}

}  // namespace ringside::bench
