// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of each call of ReceiveQueue, where the CQEs are there: a scope that has the queue
// writes them itself before it counts, as a NIC would into this GPU's memory.
#include "lib/device/receive_queue.hpp"
#include "tests/bench/gpu_send/cost.hpp"
#include "tests/bench/gpu_send/cycles.cuh"
#include "tests/bench/gpu_send/scopes.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLogSlots = 10;
constexpr std::uint32_t kSlots = 1U << kLogSlots;
constexpr std::uint32_t kRounds = 2000;
constexpr std::uint64_t kBuffers = 0x10000;  ///< the NIC's address of the first

enum Call : std::uint32_t { kReceive, kPacket, kRelease, kGiveBack };

/// What a round found, of all threads: packets, and the sum of their lengths and slots.
struct Found {
  unsigned long long packets;
  unsigned long long sum;
};

/// All threads: the CQEs of packets first to first + count - 1.
template <Scope S>
__device__ void arrive(S& scope, const RxQueueHandle& queue, std::uint64_t first,
                       std::uint32_t count) {
  for (std::uint32_t i = scope.rank(); i < count; i += scope.size()) {
    const std::uint64_t index = first + i;
    Cqe& cqe = queue.cqe[index & (kSlots - 1)];
    cqe.byte_count = Be32::of(length_of(index));
    fence_release_system();
    const auto owner = static_cast<std::uint8_t>((index >> kLogSlots) & 1U);
    cqe.op_own = static_cast<std::uint8_t>(
        (static_cast<std::uint32_t>(CqeOpcode::kResponderSend) << 4) | owner);
  }
  scope.sync();
}

/// A packet a thread, in each round; as rank 0 sees it, which tells the NIC.
template <class As>
__global__ void __launch_bounds__(1024)
    receives(const __grid_constant__ RxQueueHandle handle, Cycles* cycles, Found* found) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  ReceiveQueue queue(handle);
  Found own{};
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    arrive(scope, handle, std::uint64_t{round} * scope.size(), scope.size());
    counter.start();
    const RxBatch batch =
        queue.receive(scope, {.least = scope.size(), .most = scope.size(), .timeout_ns = 0});
    counter.spent(kReceive, scope.size());
    if (scope.rank() < batch.count) {
      const std::uint32_t i = scope.rank();
      ++own.packets;
      const std::uint32_t slot = queue.slot(batch, i);
      if (queue.is_packet(batch, i)) {
        const Packet packet = queue.packet(batch, i);
        own.sum += packet.length() + packet.iova();
      }
      counter.spent(kPacket, scope.size());
      queue.release(slot);
    }
    counter.spent(kRelease, scope.size());
    scope.sync();
    counter.start();
    queue.give_back(scope);
    counter.spent(kGiveBack, scope.size());
  }
  if (scope.rank() == 0) counter.add_to(*cycles);
  atomicAdd(&found->packets, own.packets);
  atomicAdd(&found->sum, own.sum);
}

/// Of a queue in which nothing has come.
template <class As>
__global__ void __launch_bounds__(1024)
    looks(const __grid_constant__ RxQueueHandle handle, Cycles* cycles, Found* found) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  ReceiveQueue queue(handle);
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const RxBatch batch = queue.receive(scope, {.least = 1, .most = scope.size(), .timeout_ns = 0});
    if (batch.count != 0) atomicAdd(&found->packets, 1ULL);
  }
  counter.spent(0, kRounds);
  if (scope.rank() == 0) counter.add_to(*cycles);
}

/// A receive queue's memory, all on the GPU.
struct Slots {
  DeviceArray<Cqe> cqe{kSlots};
  DeviceArray<CqDoorbellRecord> cq_record{16};
  DeviceArray<DoorbellRecord> record{16};
  DeviceArray<std::uint64_t> iova{kSlots};
  DeviceArray<std::uint16_t> references{kSlots};
  DeviceArray<RxQueueState> state{1};

  Slots() {
    std::vector<Cqe> unused(kSlots);
    for (Cqe& entry : unused) entry.op_own = kCqeInitialOpOwn;
    cqe.put(unused);
    std::vector<std::uint64_t> addresses(kSlots);
    for (std::uint32_t i = 0; i < kSlots; ++i) addresses[i] = kBuffers + std::uint64_t{i} * 2048;
    iova.put(addresses);
  }
  RxQueueHandle handle() const {
    return {.cqe = cqe.get(),
            .cq_record = cq_record.get(),
            .record = record.get(),
            .slot_iova = iova.get(),
            .view_offset = 0,
            .slot_references = references.get(),
            .state = state.get(),
            .buffer_length = 2048,
            .log_depth = kLogSlots,
            .log_cq_depth = kLogSlots,
            .rqn = 0,
            .cq_offset = 0,
            .payload_iova = nullptr,
            .payload_view_offset = 0};
  }
};

struct Run {
  Cycles cycles;
  std::vector<std::string> faults;
};

using Kernel = void (*)(RxQueueHandle, Cycles*, Found*);

Run run(Kernel kernel, std::uint32_t threads, const Found& right) {
  const Slots slots;
  const DeviceArray<Cycles> cycles(1);
  const DeviceArray<Found> found(1);
  kernel<<<1, threads>>>(slots.handle(), cycles.get(), found.get());
  check(cudaGetLastError(), "receives");
  check(cudaDeviceSynchronize(), "the run");
  Run run{cycles.values()[0], {}};
  const Found seen = found.values()[0];
  if (seen.packets != right.packets || seen.sum != right.sum) {
    run.faults.push_back(std::to_string(seen.packets) + " packets of " +
                         std::to_string(right.packets) + " with their lengths and addresses");
  }
  return run;
}

Found all_that_comes(std::uint32_t a_round) {
  Found all{};
  for (std::uint64_t i = 0; i < std::uint64_t{kRounds} * a_round; ++i) {
    ++all.packets;
    all.sum += length_of(i) + kBuffers + (i & (kSlots - 1)) * 2048;
  }
  return all;
}

template <class As>
void measure(std::uint32_t threads, std::vector<Cost>& costs) {
  Cost cost{.who = "ringside",
            .queue = "receive",
            .sharing = "exclusive",
            .scope = As::kName,
            .threads = threads};
  const auto add = [&](const Run& run, const char* call, const char* unit, std::uint32_t number) {
    cost.call = call;
    cost.unit = unit;
    cost.cycles = run.cycles.of(number);
    cost.faults = run.faults;
    costs.push_back(cost);
  };
  const Found all = all_that_comes(threads);
  run(receives<As>, threads, all);  // clocks and caches warm up
  const Run received = run(receives<As>, threads, all);
  add(received, "receive", "packet", kReceive);
  add(received, "packet", "packet", kPacket);
  add(received, "release", "packet", kRelease);
  add(received, "give_back", "packet", kGiveBack);
  add(run(looks<As>, threads, {}), "receive, none there", "call", 0);
}

}  // namespace

std::vector<Cost> receive_costs() {
  std::vector<Cost> costs;
  measure<AsThread>(1, costs);
  measure<AsWarp>(32, costs);
  for (const std::uint32_t threads : kCostThreads) {
    if (threads >= 32) measure<AsBlock>(threads, costs);
  }
  return costs;
}

}  // namespace ringside::bench
