// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device's send queues against the NIC model.
#include "lib/device/send_queue.hpp"
#include "tests/bench/gpu_send/cases.hpp"
#include "tests/bench/gpu_send/handles.cuh"
#include "tests/bench/gpu_send/rig.cuh"
#include "tests/bench/gpu_send/scopes.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint64_t kTimeoutNs = 1'000'000'000;

constexpr std::uint32_t kMostQueues = 8;

/// The queues as a kernel argument, which reaches every block by the constant cache.
template <class Handle>
struct Handles {
  Handle of[kMostQueues];
};

template <Sharing kSharing, class As>
__global__ void __launch_bounds__(1024)
    post(const __grid_constant__ Handles<SendQueueHandle<kSharing>> handles,
         std::uint32_t blocks_a_queue, std::uint32_t burst, std::uint32_t bursts) {
  __shared__ CudaBlockStorage storage;
  auto scope = As::scope(storage);
  SendQueue<kSharing> queue(handles.of[blockIdx.x / blocks_a_queue]);
  const std::uint32_t poster =
      blockIdx.x % blocks_a_queue * (blockDim.x / scope.size()) + As::number();
  std::uint64_t sequence = 0;
  TxTicket ticket = 0;
  for (std::uint32_t i = 0; i < bursts; ++i) {
    if constexpr (requires { As::stray(i); }) As::stray(i);
    const TxBatch sent = queue.send(
        scope, burst,
        [&](std::uint32_t packet) {
          return TxPacket{address_of(poster, sequence + packet), length_of(sequence + packet)};
        },
        kTimeoutNs);
    if (sent.status != TxStatus::kOk) return;  // the model will miss what was not posted
    sequence += burst;
    ticket = sent.ticket();
  }
  queue.poll_at(scope, ticket, kTimeoutNs);
}

template <Sharing kSharing, class As>
Outcome run(Rig& rig, const Case& axes) {
  const auto kernel = post<kSharing, As>;
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

/// The whole block is one poster, with bursts of any length.
template <Sharing kSharing>
Contender blocks(Rig& rig, std::uint32_t queues, std::uint32_t blocks_a_queue,
                 std::uint32_t threads, std::uint32_t burst) {
  const Case axes{
      .what = kSharing == Sharing::kExclusive ? "ringside exclusive" : "ringside shared",
      .queues = queues,
      .blocks_a_queue = blocks_a_queue,
      .threads = threads,
      .burst = burst,
      .bursts = 20'000};
  return {axes, [&rig](const Case& run_axes) { return run<kSharing, AsBlock>(rig, run_axes); }};
}

/// Each warp or thread is one, with a WQE a thread at a time.
template <Sharing kSharing, class As>
Contender scopes(Rig& rig, std::uint32_t blocks_a_queue, std::uint32_t threads) {
  const std::uint32_t size = As::size(threads);
  const Case axes{.what = std::string("ringside ") +
                          (kSharing == Sharing::kBlock ? "block-shared, " : "shared, ") +
                          As::kName + " scope",
                  .blocks_a_queue = blocks_a_queue,
                  .threads = threads,
                  .burst = size,
                  .bursts = 2'000 / blocks_a_queue,
                  .posters_a_block = threads / size};
  return {axes, [&rig](const Case& run_axes) { return run<kSharing, As>(rig, run_axes); }};
}

}  // namespace

std::vector<Contender> ringside_cases(Rig& rig) {
  std::vector<Contender> cases;
  const auto add = [&](bool shared, std::uint32_t queues, std::uint32_t blocks_a_queue,
                       std::uint32_t threads, std::uint32_t burst) {
    cases.push_back(shared
                        ? blocks<Sharing::kGpu>(rig, queues, blocks_a_queue, threads, burst)
                        : blocks<Sharing::kExclusive>(rig, queues, blocks_a_queue, threads, burst));
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
  for (const std::uint32_t threads : {256, 1024}) {
    cases.push_back(scopes<Sharing::kBlock, AsThread>(rig, 1, threads));
    cases.push_back(scopes<Sharing::kBlock, AsStrayThread>(rig, 1, threads));
    cases.push_back(scopes<Sharing::kBlock, AsWarp>(rig, 1, threads));
    for (const std::uint32_t blocks_a_queue : {1, 8}) {
      cases.push_back(scopes<Sharing::kGpu, AsThread>(rig, blocks_a_queue, threads));
      cases.push_back(scopes<Sharing::kGpu, AsWarp>(rig, blocks_a_queue, threads));
    }
  }
  return cases;
}

}  // namespace ringside::bench
