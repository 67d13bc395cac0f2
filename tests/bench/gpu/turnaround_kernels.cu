// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "kernels/all.hpp"
#include "kernels/cuda_run.hpp"
#include "tests/bench/gpu/turnaround_kernels.hpp"

namespace ringside::bench {
namespace {

template <Program P>
__global__ void __launch_bounds__(kCudaBlockThreads) forward_kernel(const StreamArgs* stream) {
  run<P>(stream);
}

/// Lanes 0 and 1 look, and lane 1, which gets to know, does the rest.
template <Program P>
__global__ void __launch_bounds__(32) bare_kernel(const StreamArgs* args) {
  __shared__ StreamArgs stream;
  if (threadIdx.x == 0) stream = *args;
  __syncwarp();
  CudaWarp warp;
  const RxQueueHandle rx = stream.rx;
  const TxQueueHandle tx = stream.tx;
  const std::uint32_t mask = (1U << tx.log_depth) - 1;
  for (std::uint32_t index = 0;; ++index) {
    const std::uint64_t iova = rx.slot_iova[index & mask];
    const Cqe* const cqe = rx.cqe + (index & mask);
    CqeTail tail;
    bool come = false;
    while (!warp.any(come)) {
      come = warp.look(threadIdx.x < 2 ? cqe : nullptr, tail) &&
             cqe_is_ready(tail.op_own(), index, rx.log_cq_depth);
    }
    if (warp.any(come && cqe_opcode(tail.op_own()) != CqeOpcode::kResponderSend)) return;
    if (!come) continue;
    P::process(Packet(cqe, iova, rx.view_offset, index & mask, tail.length()), stream.program);
    const std::uint32_t control[4] = {Be32::of(opmod_idx_opcode(index, WqeOpcode::kSend)).raw,
                                      Be32::of(qpn_ds(tx.sqn, kSendWqeSegments)).raw,
                                      std::uint32_t{kCeAlways} << 24, 0};
    const Be64 address = Be64::of(iova);
    std::uint32_t data[4] = {Be32::of(tail.length()).raw, Be32::of(tx.lkey).raw, 0, 0};
    memcpy(data + 2, &address, sizeof(address));
    auto* const segments = reinterpret_cast<uint4*>(&tx.wqe[index & mask]);
    segments[0] = {control[0], control[1], control[2], control[3]};
    segments[1] = {0, 0, 0, 0};
    segments[2] = {data[0], data[1], data[2], data[3]};
    store_release_system(&tx.record->send_counter.raw, Be32::of((index + 1) & 0xffffU).raw);
    std::uint64_t doorbell;
    memcpy(&doorbell, control, sizeof(doorbell));
    ring_doorbell(tx.doorbell, doorbell);
  }
}

template <class Launch>
cudaError_t launched(Launch launch) {
  launch();
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_forward(Work work, const StreamArgs* stream, std::uint32_t threads) {
  return launched([&] {
    if (work == Work::kIo) {
      forward_kernel<Io><<<1, threads>>>(stream);
    } else {
      forward_kernel<MacSwap><<<1, threads>>>(stream);
    }
  });
}

cudaError_t launch_bare(Work work, const StreamArgs* stream) {
  return launched([&] {
    if (work == Work::kIo) {
      bare_kernel<Io><<<1, 32>>>(stream);
    } else {
      bare_kernel<MacSwap><<<1, 32>>>(stream);
    }
  });
}

}  // namespace ringside::bench
