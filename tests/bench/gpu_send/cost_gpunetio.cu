// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of NVIDIA's open gpunetio calls that are nearest to ours. Built only where meson is told
// where their headers are (-Dgpunetio=FOLDER).
#include "tests/bench/gpu_send/cost.hpp"
#include "tests/bench/gpu_send/cycles.cuh"
#include "tests/bench/gpu_send/gpunetio.cuh"

namespace ringside::bench {
namespace {

constexpr auto kThread = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD;
constexpr auto kWarp = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP;

/// Each thread's packets are a sequence of their own, or each warp's.
template <doca_gpu_dev_verbs_resource_sharing_mode kSharing, doca_gpu_dev_verbs_exec_scope kScope>
__global__ void __launch_bounds__(1024)
    put(doca_gpu_dev_verbs_qp* qp, std::uint32_t rounds, Cycles* cycles) {
  constexpr std::uint32_t kSize = kScope == kWarp ? 32 : 1;
  const std::uint32_t poster = threadIdx.x / kSize;
  std::uint64_t sequence = threadIdx.x % kSize;
  doca_gpu_dev_verbs_ticket_t ticket = 0;
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round, sequence += kSize) {
    const std::uint64_t address = address_of(poster, sequence);
    doca_gpu_dev_verbs_put<kSharing, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, kScope>(
        qp, {address, byte_swap(kRkey)}, {address, byte_swap(kLkey)}, length_of(sequence), &ticket);
  }
  counter.spent(0, rounds * kSize);
  if (threadIdx.x % kSize != kSize - 1) return;
  counter.add_to(*cycles);
  doca_gpu_dev_verbs_poll_cq_at<kSharing>(doca_gpu_dev_verbs_qp_get_cq_sq(qp), ticket);
}

/// A block by the low-level calls: reserve by one thread, prepare by all, submit by one.
__global__ void __launch_bounds__(1024)
    parts(doca_gpu_dev_verbs_qp* qp, std::uint32_t rounds, Cycles* cycles) {
  __shared__ std::uint64_t reserved;
  const bool last = threadIdx.x == blockDim.x - 1;
  std::uint64_t index = 0;
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) {
      reserved = doca_gpu_dev_verbs_reserve_wq_slots<kExclusive>(qp, blockDim.x);
    }
    __syncthreads();
    index = reserved + threadIdx.x;
    counter.spent(0, blockDim.x);
    const std::uint64_t address = address_of(0, index);
    doca_gpu_dev_verbs_wqe_prepare_write(
        qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, static_cast<std::uint16_t>(index)),
        static_cast<std::uint16_t>(index), DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE,
        DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE, 0, address, byte_swap(kRkey), address,
        byte_swap(kLkey), length_of(index));
    counter.spent(1, blockDim.x);
    __syncthreads();
    if (last) doca_gpu_dev_verbs_submit<kExclusive>(qp, index + 1);
    counter.spent(2, blockDim.x);
  }
  if (!last) return;
  counter.add_to(*cycles);
  doca_gpu_dev_verbs_poll_cq_at<kExclusive>(doca_gpu_dev_verbs_qp_get_cq_sq(qp), index);
}

/// One thread, when the CQEs are there.
__global__ void polls(doca_gpu_dev_verbs_qp* qp, std::uint32_t rounds, Cycles* cycles) {
  doca_gpu_dev_verbs_cq* const cq = doca_gpu_dev_verbs_qp_get_cq_sq(qp);
  std::uint64_t sequence = 0;
  std::uint64_t taken = 0;
  doca_gpu_dev_verbs_ticket_t ticket = 0;
  open_clock_gate();
  CycleCounter counter;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < kPolledCqes; ++i, ++sequence) {
      const std::uint64_t address = address_of(0, sequence);
      doca_gpu_dev_verbs_put<kExclusive>(qp, {address, byte_swap(kRkey)},
                                         {address, byte_swap(kLkey)}, length_of(sequence), &ticket);
    }
    pause_for_nic();
    counter.start();
    for (std::uint32_t i = 0; i < kPolledCqes / 2; ++i) {
      doca_gpu_dev_verbs_poll_one_cq_at<kExclusive>(cq, taken + i);
    }
    counter.spent(0, kPolledCqes / 2);
    doca_gpu_dev_verbs_poll_cq_at<kExclusive>(cq, ticket);
    counter.spent(1, 1);
    taken += kPolledCqes;
  }
  counter.add_to(*cycles);
}

struct Measured {
  Cycles cycles;
  std::vector<std::string> faults;
};

Measured run(Rig& rig, void (*kernel)(doca_gpu_dev_verbs_qp*, std::uint32_t, Cycles*),
             const Case& axes, std::uint32_t rounds) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeSm),
        "shared memory");
  DeviceArray<doca_gpu_dev_verbs_qp> qp(1);
  DeviceArray<Cycles> cycles(1);
  const Outcome outcome =
      rig.run<RdmaWriteFormat>(axes, false, [&](const auto& queues, cudaStream_t stream) {
        qp.put(std::vector{make_qp(*queues[0])});
        kernel<<<1, axes.threads, kWholeSm, stream>>>(qp.get(), rounds, cycles.get());
      });
  return {cycles.values()[0], outcome.faults};
}

Cost cost_of(const Measured& measured, std::string call, const char* sharing, const char* scope,
             std::uint32_t threads, const char* unit, std::uint32_t number) {
  return {.who = "gpunetio",
          .call = std::move(call),
          .sharing = sharing,
          .scope = scope,
          .threads = threads,
          .unit = unit,
          .cycles = measured.cycles.of(number),
          .faults = measured.faults};
}

template <doca_gpu_dev_verbs_resource_sharing_mode kSharing, doca_gpu_dev_verbs_exec_scope kScope>
void measure_put(Rig& rig, const char* sharing, std::vector<Cost>& costs) {
  const std::uint32_t size = kScope == kWarp ? 32 : 1;
  for (const std::uint32_t threads : kCostThreads) {
    if (threads < size || (kSharing == kExclusive && threads > size)) continue;
    const std::uint32_t rounds = rounds_of(threads);
    const Case axes{.what = "cost",
                    .threads = threads,
                    .burst = size,
                    .bursts = rounds,
                    .posters_a_block = threads / size};
    const Measured measured = run(rig, put<kSharing, kScope>, axes, rounds);
    Cost cost = cost_of(measured, "put", sharing, kScope == kWarp ? "warp" : "thread", threads,
                        "packet", 0);
    cost.interval = measured.cycles.elapsed_a_scope() / (static_cast<double>(rounds) * threads);
    costs.push_back(cost);
  }
}

}  // namespace

std::vector<Cost> peer_costs(Rig& rig) {
  std::vector<Cost> costs;
  measure_put<kExclusive, kThread>(rig, "exclusive", costs);
  measure_put<kExclusive, kWarp>(rig, "exclusive", costs);
  measure_put<kBlockShared, kThread>(rig, "block", costs);
  measure_put<kBlockShared, kWarp>(rig, "block", costs);
  measure_put<kGpu, kThread>(rig, "gpu", costs);
  measure_put<kGpu, kWarp>(rig, "gpu", costs);
  for (const std::uint32_t threads : kCostThreads) {
    const std::uint32_t rounds = rounds_of(threads);
    const Case axes{.what = "cost", .threads = threads, .burst = threads, .bursts = rounds};
    const Measured measured = run(rig, parts, axes, rounds);
    const char* const scope = threads == 1 ? "thread" : "block";
    const char* const calls[] = {"reserve_wq_slots", "wqe_prepare_write", "submit"};
    for (std::uint32_t i = 0; i < 3; ++i) {
      costs.push_back(cost_of(measured, calls[i], "exclusive", scope, threads, "packet", i));
    }
  }
  const Case axes{.what = "cost", .threads = 1, .burst = 1, .bursts = kPolledCqes * kPollRounds};
  const Measured polled = run(rig, polls, axes, kPollRounds);
  costs.push_back(cost_of(polled, "poll_one_cq_at", "exclusive", "thread", 1, "cqe", 0));
  costs.push_back(cost_of(polled, "poll_cq_at", "exclusive", "thread", 1, "call", 1));
  return costs;
}

}  // namespace ringside::bench
