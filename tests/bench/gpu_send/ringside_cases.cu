// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device's send queues against the NIC model.
#include "lib/device/cuda_block.hpp"
#include "lib/device/send_queue.hpp"
#include "tests/bench/gpu_send/cases.hpp"
#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint64_t kTimeoutNs = 1'000'000'000;

constexpr std::uint32_t kMostQueues = 8;

/// The queues as a kernel argument, which reaches every block by the constant cache.
template <class Handle>
struct Handles {
  Handle of[kMostQueues];
};

template <Sharing kSharing>
__global__ void __launch_bounds__(1024)
    post(const __grid_constant__ Handles<SendQueueHandle<kSharing>> handles,
         std::uint32_t blocks_a_queue, std::uint32_t burst, std::uint32_t bursts) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  SendQueue<kSharing> queue(handles.of[blockIdx.x / blocks_a_queue]);
  const std::uint32_t poster = blockIdx.x % blocks_a_queue;
  std::uint64_t sequence = 0;
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < bursts; ++i) {
    const TxBatch sent = queue.send(
        block, burst,
        [&](std::uint32_t packet) {
          return TxPacket{address_of(poster, sequence + packet), length_of(sequence + packet)};
        },
        kTimeoutNs);
    if (sent.status != TxStatus::kOk) return;  // the model will miss what was not posted
    sequence += burst;
    end = sent.ticket();
  }
  queue.poll_at(block, end, kTimeoutNs);
}

template <Sharing kSharing>
SendQueueHandle<kSharing> handle_of(const RigQueue& queue) {
  if constexpr (kSharing == Sharing::kExclusive) {
    return queue.handle();
  } else {
    return {queue.handle(), queue.shared.get(), queue.batch_end.get()};
  }
}

template <Sharing kSharing>
Outcome run(Rig& rig, const Case& axes) {
  const auto kernel = post<kSharing>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeSm),
        "shared memory");
  return rig.run<EthernetSendFormat>(axes, true, [&](const auto& queues, cudaStream_t stream) {
    Handles<SendQueueHandle<kSharing>> handles{};
    for (std::size_t i = 0; i < queues.size(); ++i) {
      handles.of[i] = handle_of<kSharing>(*queues[i]);
    }
    kernel<<<axes.queues * axes.blocks_a_queue, axes.threads, kWholeSm, stream>>>(
        handles, axes.blocks_a_queue, axes.burst, axes.bursts);
  });
}

}  // namespace

std::vector<Contender> ringside_cases(Rig& rig) {
  std::vector<Contender> cases;
  const auto add = [&](bool shared, std::uint32_t queues, std::uint32_t blocks,
                       std::uint32_t threads, std::uint32_t burst) {
    const Case axes{.what = shared ? "ringside shared" : "ringside exclusive",
                    .queues = queues,
                    .blocks_a_queue = blocks,
                    .threads = threads,
                    .burst = burst,
                    .bursts = 20'000};
    cases.push_back({axes, [&rig, shared](const Case& run_axes) {
                       return shared ? run<Sharing::kGpu>(rig, run_axes)
                                     : run<Sharing::kExclusive>(rig, run_axes);
                     }});
  };
  for (const bool shared : {true, false}) {
    for (const std::uint32_t threads : {32, 64, 128, 256, 512, 1024}) {
      add(shared, 1, 1, threads, threads);
    }
    for (const std::uint32_t threads : {32, 256, 1024}) add(shared, 1, 1, threads, 2048);
  }
  for (const std::uint32_t blocks : {2, 4, 8}) {
    for (const std::uint32_t threads : {32, 256, 1024}) add(true, 1, blocks, threads, threads);
  }
  for (const std::uint32_t queues : {2, 4, 8}) {
    for (const std::uint32_t threads : {256, 1024}) {
      for (const bool shared : {true, false}) add(shared, queues, 1, threads, threads);
    }
  }
  return cases;
}

}  // namespace ringside::bench
