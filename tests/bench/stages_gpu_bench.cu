// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of stages on a GPU: a chain against the same written by hand, a batch at a time with a
// look over PCIe before it, as a receive queue has, and its counters told to the CPU; in one block,
// which is what a queue has; and lookups in a table.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/cuda_any_chain.cu"
#include "kernels/cuda_limits.hpp"
#include "kernels/known_pipeline.hpp"
#include "lib/device/cuda_block.hpp"
#include "tests/bench/stages_chains.hpp"
#include "tests/bench/stages_shapes.hpp"
#include "tests/bench/stages_workload.hpp"

extern "C" __device__ ringside::stages::Next ringside_call_user(std::uint64_t,
                                                                ringside::stages::PacketView*,
                                                                const std::uint64_t*) {
  return ringside::stages::Next::kDrop;  // no stage here is a user's
}

namespace ringside::bench {
namespace {

constexpr std::uint32_t kPitch = 128;
constexpr std::uint32_t kFramesABlock = 4096;
constexpr int kBatches = 4000;
constexpr std::size_t kMostStages = 32;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
T* on_device(std::size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
  return memory;
}
template <class T>
T* pinned(std::size_t count) {
  T* memory = nullptr;
  check(cudaMallocHost(&memory, count * sizeof(T)), "cudaMallocHost");
  std::memset(static_cast<void*>(memory), 0, count * sizeof(T));
  return memory;
}
std::uint64_t* copied(const std::vector<std::uint64_t>& words) {
  auto* const memory = on_device<std::uint64_t>(words.size());
  check(cudaMemcpy(memory, words.data(), words.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

__global__ void make_frames(std::uint8_t* frames, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) write_frame(frames + std::size_t{i} * kPitch, i);
}

__device__ Packet packet_at(const Cqe* cqe, std::uint8_t* frames, std::uint32_t i) {
  return {cqe, reinterpret_cast<std::uint64_t>(frames + std::size_t{i % kFramesABlock} * kPitch), 0,
          0};
}

/// What a look at a receive queue in host memory costs.
__device__ void look(CudaBlock& block, const std::uint32_t* word) {
  std::uint32_t seen = 0;
  if (threadIdx.x == 0) seen = load_relaxed_system(word);
  block.broadcast(seen);
}

template <class Chains>
__global__ void __launch_bounds__(kCudaBlockThreads, 1)
    run_chain(const PipelineArgs* args, const std::uint32_t* queue, const Cqe* cqe,
              std::uint8_t* frames, std::uint64_t* sent) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  ProgramArgs program{};
  program.own = args + blockIdx.x;
  PipelineState<CudaBlock, Chains> state(block, program);
  frames += std::size_t{blockIdx.x} * kFramesABlock * kPitch;
  std::uint64_t own = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    look(block, queue);
    state.begin_batch(block);
    const Packet packet = packet_at(cqe, frames, batch * blockDim.x + threadIdx.x);
    own += state.process(packet, threadIdx.x) == Verdict::kSend ? 1 : 0;
    state.end_batch(block);
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sent), own);
}

template <int Stages>
__global__ void __launch_bounds__(kCudaBlockThreads, 1)
    run_hand(const ByHandState* states, std::uint64_t* told, const std::uint32_t* queue,
             const Cqe* cqe, std::uint8_t* frames, std::uint64_t* sent) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  const ByHandState hand = states[blockIdx.x];
  frames += std::size_t{blockIdx.x} * kFramesABlock * kPitch;
  std::uint64_t own = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    look(block, queue);
    const Packet packet = packet_at(cqe, frames, batch * blockDim.x + threadIdx.x);
    stages::PacketView view{packet.data(), packet.length(), 0, 0, {}};
    own += by_hand<Stages>(view, hand) ? 1 : 0;
    block.sync();
    if (threadIdx.x < 2) {
      store_relaxed_system(told + 2 * blockIdx.x + threadIdx.x,
                           stages::load_shared(hand.packets + threadIdx.x));
    }
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sent), own);
}

/// ns a batch; the best of three.
template <class Launch>
double time_batches(std::uint64_t expected, Launch launch) {
  auto* const sent = on_device<std::uint64_t>(1);
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  float best = 1e9F;
  for (int run = 0; run < 3; ++run) {
    check(cudaMemset(sent, 0, 8), "cudaMemset");
    check(cudaEventRecord(begin), "cudaEventRecord");
    launch(sent);
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    best = ms < best ? ms : best;
    std::uint64_t count = 0;
    check(cudaMemcpy(&count, sent, 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (count != expected) {
      std::fprintf(stderr, "%llu packets of %llu passed\n", static_cast<unsigned long long>(count),
                   static_cast<unsigned long long>(expected));
      std::exit(1);
    }
  }
  return best * 1e6 / kBatches;
}

template <int Stages, class Shape>
void compare(std::uint32_t blocks, std::uint32_t threads) {
  auto* const frames = on_device<std::uint8_t>(std::size_t{blocks} * kFramesABlock * kPitch);
  make_frames<<<(blocks * kFramesABlock + 255) / 256, 256>>>(frames, blocks * kFramesABlock);
  std::vector<std::uint64_t> cqe_bytes(sizeof(Cqe) / 8);
  reinterpret_cast<Cqe*>(cqe_bytes.data())->byte_count = Be32::of(kFrameBytes);
  const auto* const cqe = reinterpret_cast<const Cqe*>(copied(cqe_bytes));
  const std::uint64_t packets = std::uint64_t{blocks} * threads * kBatches;
  const auto* const queue = pinned<std::uint32_t>(1);

  const BenchChain chain = chain_of(Stages);
  const auto* const laid = reinterpret_cast<const stages::Chain*>(copied(chain.words));
  auto* const args = pinned<PipelineArgs>(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const PipelineControl filled{laid};
    auto* const control = on_device<PipelineControl>(1);
    check(cudaMemcpy(control, &filled, sizeof filled, cudaMemcpyHostToDevice), "cudaMemcpy");
    args[b] = {control,
               pinned<PipelineStatus>(1),
               pinned<stages::StageCounters>(kMostStages),
               on_device<stages::StageCounters>(kMostStages),
               on_device<std::uint64_t>(1),
               on_device<stages::SampleRingState>(1),
               {},
               0};
  }
  const double stored = time_batches(packets, [&](std::uint64_t* sent) {
    run_chain<StoredChains><<<blocks, threads>>>(args, queue, cqe, frames, sent);
  });
  const double known = time_batches(packets, [&](std::uint64_t* sent) {
    run_chain<KnownChains<stages::BuiltInUsers, Shape>>
        <<<blocks, threads>>>(args, queue, cqe, frames, sent);
  });

  const BenchChain eight = chain_of(8);
  const auto* const backends = reinterpret_cast<const stages::LoadBalanceParameters*>(
      reinterpret_cast<const std::uint8_t*>(copied(eight.words)) + eight.backends_at);
  auto* const hands = pinned<ByHandState>(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    auto* const counters = on_device<std::uint64_t>(2);
    hands[b] = {counters, counters + 1, backends, false};
  }
  auto* const told = pinned<std::uint64_t>(2 * blocks);
  const double by_hand = time_batches(packets, [&](std::uint64_t* sent) {
    run_hand<Stages><<<blocks, threads>>>(hands, told, queue, cqe, frames, sent);
  });
  std::printf(
      "%d stages, %u blocks of %u: %.0f ns a batch by hand, %.0f compiled, %.2f times, %.0f from "
      "memory, %.2f times\n",
      Stages, blocks, threads, by_hand, known, known / by_hand, stored, stored / by_hand);
}

__global__ void look_up(const stages::TableParameters* table, std::uint32_t entries,
                        std::uint32_t rounds, std::uint64_t* found) {
  std::uint32_t random = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761U + 1;
  std::uint64_t own = 0;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t number =
        static_cast<std::uint32_t>((std::uint64_t{random} * entries) >> 32);
    const stages::FiveTuple key{{0, 0x0a000000U | number >> 16, 0, 0x0a000001,
                                 stages::tuple_tail(number & 0xffff, 53, 17, 4)}};
    own += stages::find_entry(*table, key) != nullptr ? 1 : 0;
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(found), own);
}

void measure_table(std::uint32_t entries, std::uint32_t blocks, std::uint32_t threads) {
  const std::vector<std::uint64_t> words = table_of(entries);
  const auto* const table = reinterpret_cast<const stages::TableParameters*>(copied(words));
  constexpr std::uint32_t kRounds = 1000;
  const std::uint64_t lookups = std::uint64_t{blocks} * threads * kRounds;
  const double ns = kBatches * time_batches(lookups, [&](std::uint64_t* found) {
                      look_up<<<blocks, threads>>>(table, entries, kRounds, found);
                    });
  std::printf("table of %u, %.1f MB, %u blocks of %u: %.1f M lookups/s\n", entries,
              words.size() * 8e-6, blocks, threads, lookups * 1e3 / ns);
}

}  // namespace
}  // namespace ringside::bench

int main() {
  cudaDeviceProp gpu{};
  ringside::bench::check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  std::printf("%s\n", gpu.name);
  const auto all = static_cast<std::uint32_t>(gpu.multiProcessorCount);
  for (const std::uint32_t threads : {64U, 256U}) {
    ringside::bench::compare<1, ringside::stages::BenchShape1>(1, threads);
    ringside::bench::compare<4, ringside::stages::BenchShape4>(1, threads);
    ringside::bench::compare<8, ringside::stages::BenchShape8>(1, threads);
  }
  ringside::bench::measure_table(1'000'000, 1, 64);
  ringside::bench::measure_table(1'000'000, 1, 256);
  ringside::bench::measure_table(1'000'000, all, 1024);
}
