// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of each call of SendQueue, by scope, sharing and threads.
#include "lib/device/send_queue.hpp"
#include "tests/bench/gpu_send/cost.hpp"
#include "tests/bench/gpu_send/cycles.cuh"
#include "tests/bench/gpu_send/handles.cuh"
#include "tests/bench/gpu_send/scopes.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint64_t kTimeoutNs = 1'000'000'000;
constexpr const char* kSharingNames[] = {"exclusive", "block", "gpu"};

__device__ TxPacket packet_of(std::uint32_t poster, std::uint64_t sequence) {
  return {address_of(poster, sequence), length_of(sequence)};
}

/// send() alone: what it takes, and how far apart packets are.
template <Sharing kSharing, class As>
__global__ void __launch_bounds__(1024)
    send(const __grid_constant__ SendQueueHandle<kSharing> handle, std::uint32_t rounds,
         Cycles* cycles) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  SendQueue<kSharing> queue(handle);
  std::uint64_t sequence = 0;
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round, sequence += scope.size()) {
    const TxBatch batch = queue.send(
        scope, scope.size(), [&](std::uint32_t i) { return packet_of(As::number(), sequence + i); },
        kTimeoutNs);
    if (batch.status != TxStatus::kOk) return;  // the model will miss what was not posted
  }
  counter.spent(0, rounds * scope.size());
  if (scope.rank() == scope.size() - 1) counter.add_to(*cycles);
  queue.poll_last(scope, kTimeoutNs);
}

/// reserve(), write() and commit(), each with the clock beside it, as the last rank sees it.
template <Sharing kSharing, class As>
__global__ void __launch_bounds__(1024)
    parts(const __grid_constant__ SendQueueHandle<kSharing> handle, std::uint32_t rounds,
          Cycles* cycles) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  SendQueue<kSharing> queue(handle);
  std::uint64_t sequence = scope.rank();
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round, sequence += scope.size()) {
    const TxBatch batch = queue.reserve(scope, scope.size(), kTimeoutNs);
    counter.spent(0, scope.size());
    if (batch.status != TxStatus::kOk) return;
    queue.write(batch, scope.rank(), packet_of(As::number(), sequence));
    counter.spent(1, scope.size());
    queue.commit(scope, batch);
    counter.spent(2, scope.size());
  }
  if (scope.rank() == scope.size() - 1) counter.add_to(*cycles);
  queue.poll_last(scope, kTimeoutNs);
}

/// The polls, of the block's first scope, when the CQEs are there, as rank 0 sees them, which
/// reads.
template <Sharing kSharing, class As>
__global__ void __launch_bounds__(1024)
    polls(const __grid_constant__ SendQueueHandle<kSharing> handle, std::uint32_t rounds,
          Cycles* cycles) {
  __shared__ CudaBlockStorage storage;
  open_clock_gate();
  if (As::number() != 0) return;
  auto scope = As::scope(storage);
  SendQueue<kSharing> queue(handle);
  std::uint64_t sequence = 0;
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < kPolledCqes; ++i, ++sequence) {
      queue.send(
          scope, 1, [&](std::uint32_t) { return packet_of(0, sequence); }, kTimeoutNs);
    }
    pause_for_nic();
    scope.sync();
    counter.start();
    for (std::uint32_t i = 0; i < kPolledCqes / 2; ++i) queue.poll_one(scope, 0);
    counter.spent(0, kPolledCqes / 2);
    queue.poll_all(scope, 0);
    counter.spent(1, kPolledCqes / 2);
    const TxStatus all = queue.poll_last(scope, 0);
    counter.spent(2, 1);
    if (all != TxStatus::kOk) return;  // not there: the sum of units says so
  }
  if (scope.rank() == 0) counter.add_to(*cycles);
}

template <class Handle>
using Kernel = void (*)(Handle, std::uint32_t, Cycles*);

struct Run {
  Cycles cycles;
  std::vector<std::string> faults;
};

template <Sharing kSharing>
Run run(Rig& rig, Kernel<SendQueueHandle<kSharing>> kernel, const Case& axes,
        std::uint32_t rounds) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeSm),
        "shared memory");
  DeviceArray<Cycles> cycles(1);
  const Outcome outcome =
      rig.run<EthernetSendFormat>(axes, true, [&](const auto& queues, cudaStream_t stream) {
        kernel<<<1, axes.threads, kWholeSm, stream>>>(handle_of<kSharing>(*queues[0]), rounds,
                                                      cycles.get());
      });
  return {cycles.values()[0], outcome.faults};
}

template <Sharing kSharing, class As>
void measure(Rig& rig, std::uint32_t threads, std::vector<Cost>& costs) {
  const std::uint32_t size = As::size(threads);
  Cost cost{.who = "ringside",
            .sharing = kSharingNames[static_cast<int>(kSharing)],
            .scope = As::kName,
            .threads = threads};
  const auto add = [&](const Run& run, const char* call, const char* unit, std::uint32_t number,
                       double interval = 0) {
    cost.call = call;
    cost.unit = unit;
    cost.cycles = run.cycles.of(number);
    cost.interval = interval;
    cost.faults = run.faults;
    costs.push_back(cost);
  };
  const std::uint32_t rounds = rounds_of(threads);
  Case axes{.what = "cost",
            .threads = threads,
            .burst = size,
            .bursts = rounds,
            .posters_a_block = threads / size};
  run<kSharing>(rig, send<kSharing, As>, axes, rounds);  // clocks and caches warm up
  const Run sent = run<kSharing>(rig, send<kSharing, As>, axes, rounds);
  add(sent, "send", "packet", 0,
      sent.cycles.elapsed_a_scope() / (static_cast<double>(rounds) * threads));
  const Run apart = run<kSharing>(rig, parts<kSharing, As>, axes, rounds);
  add(apart, "reserve", "packet", 0);
  add(apart, "write", "packet", 1);
  add(apart, "commit", "packet", 2);
  if (size != threads) return;
  axes.burst = 1;
  axes.bursts = kPolledCqes * kPollRounds;
  const Run polled = run<kSharing>(rig, polls<kSharing, As>, axes, kPollRounds);
  add(polled, "poll_one", "cqe", 0);
  add(polled, "poll_all", "cqe", 1);
  add(polled, "poll_last", "call", 2);
}

template <Sharing kSharing>
void measure_sharing(Rig& rig, std::vector<Cost>& costs) {
  for (const std::uint32_t threads : kCostThreads) {
    if (kSharing != Sharing::kExclusive || threads == 1) {
      measure<kSharing, AsThread>(rig, threads, costs);
    }
  }
  for (const std::uint32_t threads : kCostThreads) {
    if (threads < 32 || (kSharing == Sharing::kExclusive && threads > 32)) continue;
    measure<kSharing, AsWarp>(rig, threads, costs);
  }
  for (const std::uint32_t threads : kCostThreads) {
    if (threads < 32 || kSharing == Sharing::kBlock) continue;
    measure<kSharing, AsBlock>(rig, threads, costs);
  }
}

}  // namespace

std::vector<Cost> ringside_costs(Rig& rig) {
  std::vector<Cost> costs;
  measure_sharing<Sharing::kExclusive>(rig, costs);
  measure_sharing<Sharing::kBlock>(rig, costs);
  measure_sharing<Sharing::kGpu>(rig, costs);
  return costs;
}

}  // namespace ringside::bench
