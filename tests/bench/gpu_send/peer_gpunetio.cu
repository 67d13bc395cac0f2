// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// NVIDIA's open gpunetio device functions against the same NIC model, on the same kind of ring.
// Built only where meson is told where their headers are (-Dgpunetio=FOLDER).
#include "tests/bench/gpu_send/cases.hpp"
#include "tests/bench/gpu_send/gpunetio.cuh"

namespace ringside::bench {
namespace {

/// Any number of warps, each with a put of 32 WQEs at a time, which looks for room itself.
__global__ void __launch_bounds__(1024)
    put(doca_gpu_dev_verbs_qp* qps, std::uint32_t blocks_a_queue, std::uint32_t bursts) {
  doca_gpu_dev_verbs_qp* const qp = qps + blockIdx.x / blocks_a_queue;
  const std::uint32_t poster =
      (blockIdx.x % blocks_a_queue * blockDim.x + threadIdx.x) / DOCA_GPUNETIO_VERBS_WARP_SIZE;
  std::uint64_t sequence = threadIdx.x % DOCA_GPUNETIO_VERBS_WARP_SIZE;
  doca_gpu_dev_verbs_ticket_t ticket = 0;
  for (std::uint32_t i = 0; i < bursts; ++i, sequence += DOCA_GPUNETIO_VERBS_WARP_SIZE) {
    const std::uint64_t address = address_of(poster, sequence);
    doca_gpu_dev_verbs_put<kGpu, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
                           DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP>(
        qp, {address, byte_swap(kRkey)}, {address, byte_swap(kLkey)}, length_of(sequence), &ticket);
  }
  if (threadIdx.x % DOCA_GPUNETIO_VERBS_WARP_SIZE == DOCA_GPUNETIO_VERBS_WARP_SIZE - 1) {
    doca_gpu_dev_verbs_poll_cq_at<kGpu>(doca_gpu_dev_verbs_qp_get_cq_sq(qp), ticket);
  }
}

/// One block by the low-level calls, a WQE a thread: reserve by one thread, prepare by all, submit
/// by one. Checked: the reservation looks for room, which takes a CQE for every WQE. Unchecked:
/// nobody looks, and only the NIC's speed keeps the ring from being overrun.
template <bool kChecked>
__global__ void __launch_bounds__(1024)
    low_level(doca_gpu_dev_verbs_qp* qps, std::uint32_t bursts) {
  __shared__ std::uint64_t reserved;
  doca_gpu_dev_verbs_qp* const qp = qps + blockIdx.x;
  doca_gpu_dev_verbs_cq* const cq = doca_gpu_dev_verbs_qp_get_cq_sq(qp);
  const bool last = threadIdx.x == blockDim.x - 1;
  std::uint64_t index = threadIdx.x;
  for (std::uint32_t i = 0; i < bursts; ++i, index += blockDim.x) {
    if constexpr (kChecked) {
      if (threadIdx.x == 0) {
        reserved = doca_gpu_dev_verbs_reserve_wq_slots<kExclusive>(qp, blockDim.x);
      }
      __syncthreads();
      index = reserved + threadIdx.x;
    }
    const std::uint64_t address = address_of(0, index);
    doca_gpu_dev_verbs_wqe_prepare_write(
        qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, static_cast<std::uint16_t>(index)),
        static_cast<std::uint16_t>(index), DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE,
        kChecked || last ? DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE
                         : DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_ERROR_UPDATE,
        0, address, byte_swap(kRkey), address, byte_swap(kLkey), length_of(index));
    __syncthreads();
    if (last) doca_gpu_dev_verbs_submit<kExclusive>(qp, index + 1);
  }
  if (!last) return;
  if constexpr (kChecked) {
    doca_gpu_dev_verbs_poll_cq_at<kExclusive>(cq, index - blockDim.x);
  } else {  // the burst's only CQE
    const std::uint64_t at = bursts - 1;
    auto* const tail = reinterpret_cast<std::uint32_t*>(cq->cqe_daddr) + (at % kDepth) * 16 + 15;
    const std::uint32_t wanted = byte_swap(static_cast<std::uint32_t>(index - blockDim.x) << 16 |
                                           static_cast<std::uint32_t>(at / kDepth % 2));
    bool complete = false;
    while (!complete) complete = doca_gpu_dev_verbs_load_relaxed_sys_global(tail) == wanted;
  }
}

template <class Launch>
Outcome run(Rig& rig, const Case& axes, Launch launch) {
  DeviceArray<doca_gpu_dev_verbs_qp> qps(axes.queues);
  return rig.run<RdmaWriteFormat>(axes, false, [&](const auto& queues, cudaStream_t stream) {
    std::vector<doca_gpu_dev_verbs_qp> values;
    for (const auto& queue : queues) values.push_back(make_qp(*queue));
    qps.put(values);
    launch(qps.get(), stream);
  });
}

template <class Kernel>
void claim_sm(Kernel kernel) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeSm),
        "shared memory");
}

}  // namespace

std::vector<Contender> peer_cases(Rig& rig) {
  std::vector<Contender> cases;
  for (const std::uint32_t blocks : {1, 2, 8}) {
    for (const std::uint32_t threads : {32, 256, 1024}) {
      const Case axes{.what = "gpunetio put, warp scope, shared",
                      .blocks_a_queue = blocks,
                      .threads = threads,
                      .burst = 32,
                      .bursts = 2'000,
                      .posters_a_block = threads / 32};
      cases.push_back({axes, [&rig](const Case& run_axes) {
                         claim_sm(put);
                         return run(rig, run_axes, [&](auto* qps, cudaStream_t stream) {
                           put<<<run_axes.blocks_a_queue, run_axes.threads, kWholeSm, stream>>>(
                               qps, run_axes.blocks_a_queue, run_axes.bursts);
                         });
                       }});
    }
  }
  for (const bool checked : {true, false}) {
    for (const std::uint32_t threads : {32, 64, 128, 256, 512, 1024}) {
      const Case axes{
          .what = checked ? "gpunetio low-level, exclusive" : "gpunetio low-level, no room check",
          .threads = threads,
          .burst = threads,
          .bursts = 20'000};
      cases.push_back({axes, [&rig, checked](const Case& run_axes) {
                         const auto kernel = checked ? low_level<true> : low_level<false>;
                         claim_sm(kernel);
                         return run(rig, run_axes, [&](auto* qps, cudaStream_t stream) {
                           kernel<<<run_axes.queues, run_axes.threads, kWholeSm, stream>>>(
                               qps, run_axes.bursts);
                         });
                       }});
    }
  }
  return cases;
}

}  // namespace ringside::bench
