// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// GPU-driven macswap of 1 kB frames with NICs that never limit: one queue or several, one block
// each, rings and packets in device memory, 512 frames going round in each, at most a burst handled
// at a time. What the CPU-orchestrated ways do without a NIC is gpu_launch_bench's to say. JSON on
// standard output.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kernels/all.hpp"
#include "kernels/cuda_run.hpp"
#include "tests/bench/gpu/loop_nic.cuh"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLogDepth = 11;
constexpr std::uint32_t kDepth = 1U << kLogDepth;
constexpr std::uint32_t kFrame = 1024;
constexpr std::uint32_t kBuffer = 2176;
constexpr std::uint32_t kWindow = 512;
constexpr std::uint32_t kMostQueues = 4;
constexpr std::uint32_t kSqn = 0x77;
constexpr auto kMeasure = std::chrono::milliseconds(100);

void check(cudaError_t result, const char* action) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "gpu_loop_bench: cannot %s: %s\n", action, cudaGetErrorString(result));
  std::exit(1);
}

/// A kernel that does not end would never let go of what it uses.
void await_end(cudaStream_t stream, const char* action) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  cudaError_t state = cudaErrorNotReady;
  while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() < give_up) continue;
    std::fprintf(stderr, "gpu_loop_bench: cannot %s: it does not answer\n", action);
    std::_Exit(1);
  }
  check(state, action);
}

/// What the CPU sees too, as in the product.
struct Pinned {
  alignas(128) StreamCounters counters;
  alignas(128) StreamControl control;
  alignas(128) StreamStatus status;
  alignas(128) std::uint32_t nic_exit;
  alignas(128) LoopNicReport report;
};

/// What the kernels of all queues are given.
struct Arguments {
  StreamArgs streams[kMostQueues];
  LoopNic nics[kMostQueues];
};

/// A ConnectX's rings in GPU memory, and what only kernels use.
struct Device {
  Cqe rx_cq[kDepth];
  Cqe tx_cq[kDepth];
  SendWqe wqe[kDepth];
  alignas(128) DoorbellRecord rx_record;
  alignas(128) DoorbellRecord tx_record;
  alignas(128) CqDoorbellRecord rx_cq_record;
  alignas(128) CqDoorbellRecord tx_cq_record;
  alignas(128) std::uint64_t doorbell;
  alignas(128) std::uint64_t slot_iova[kDepth];
  std::uint16_t slot_references[kDepth];
  std::uint32_t wqe_slot[kDepth];
  RxQueueState rx;
  TxQueueState tx;
};

__global__ void __launch_bounds__(kCudaBlockThreads) macswap(const StreamArgs* stream) {
  run<MacSwap>(stream);
}

/// The rings as a NIC finds them: no CQE written, all slots posted.
void reset(Device* device, std::uint8_t* packets) {
  auto* const image = new Device{};
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    image->rx_cq[i].op_own = image->tx_cq[i].op_own = kCqeInitialOpOwn;
    image->slot_iova[i] = reinterpret_cast<std::uint64_t>(packets + std::size_t{i} * kBuffer);
  }
  image->rx_record.receive_counter = Be32::of(kDepth);
  check(cudaMemcpy(device, image, sizeof(Device), cudaMemcpyHostToDevice), "write the rings");
  delete image;
}

StreamArgs stream_of(Device* device, Pinned* pinned, std::uint32_t burst) {
  return {.rx = {.cqe = device->rx_cq,
                 .cq_record = &device->rx_cq_record,
                 .record = &device->rx_record,
                 .slot_iova = device->slot_iova,
                 .view_offset = 0,
                 .slot_references = device->slot_references,
                 .state = &device->rx,
                 .buffer_length = kBuffer,
                 .log_depth = kLogDepth,
                 .log_cq_depth = kLogDepth,
                 .rqn = 1,
                 .cq_offset = 0},
          .tx = {.wqe = device->wqe,
                 .record = &device->tx_record,
                 .doorbell = &device->doorbell,
                 .cqe = device->tx_cq,
                 .cq_record = &device->tx_cq_record,
                 .wqe_slot = device->wqe_slot,
                 .state = &device->tx,
                 .lkey = 0x1234,
                 .log_depth = kLogDepth,
                 .log_cq_depth = kLogDepth,
                 .sqn = kSqn,
                 .in_gpu_memory = true},
          .counters = &pinned->counters,
          .control = &pinned->control,
          .status = &pinned->status,
          .burst = burst,
          .first_burst = 0,
          .drain_ns = 10'000'000,
          .program = {},
          .tx_buffers = {}};
}

struct Rig {
  Device* devices;        // [kMostQueues]
  std::uint8_t* packets;  // [kMostQueues][kDepth][kBuffer]
  Pinned* pinned;         // [kMostQueues]
  Arguments* arguments;
};

std::uint64_t sent(const Rig& rig, std::uint32_t queues) {
  std::uint64_t frames = 0;
  for (std::uint32_t q = 0; q < queues; ++q) {
    frames += __atomic_load_n(&rig.pinned[q].counters.tx_packets, __ATOMIC_RELAXED);
  }
  return frames;
}

void set_up(const Rig& rig, std::uint32_t queues, std::uint32_t burst) {
  for (std::uint32_t q = 0; q < queues; ++q) {
    Pinned& pinned = rig.pinned[q];
    std::memset(static_cast<void*>(&pinned), 0, sizeof(Pinned));
    reset(&rig.devices[q], rig.packets + std::size_t{q} * kDepth * kBuffer);
    rig.arguments->streams[q] = stream_of(&rig.devices[q], &pinned, burst);
    rig.arguments->nics[q] = {.rx = rig.arguments->streams[q].rx,
                              .tx = rig.arguments->streams[q].tx,
                              .frame = kFrame,
                              .window = kWindow,
                              .exit = &pinned.nic_exit,
                              .report = &pinned.report};
  }
}

/// Ends the program when a frame went wrong.
void judge(const Pinned& pinned) {
  const StreamCounters& counters = pinned.counters;
  if (pinned.report.bad_wqes == 0 && counters.rx_errors == 0 && counters.rx_packets != 0 &&
      counters.rx_packets == counters.tx_packets &&
      counters.tx_bytes == counters.tx_packets * kFrame) {
    return;
  }
  std::fprintf(stderr, "gpu_loop_bench: wrong: %llu bad WQEs, %llu received, %llu sent\n",
               static_cast<unsigned long long>(pinned.report.bad_wqes),
               static_cast<unsigned long long>(counters.rx_packets),
               static_cast<unsigned long long>(counters.tx_packets));
  std::exit(1);
}

/// Frames a second.
double measure(const Rig& rig, std::uint32_t queues, std::uint32_t burst, std::uint32_t threads) {
  set_up(rig, queues, burst);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  }
  loop_nic<<<queues, kNicThreads, 0, streams[0]>>>(rig.arguments->nics);
  macswap<<<queues, threads, 0, streams[1]>>>(rig.arguments->streams);
  check(cudaGetLastError(), "launch the kernels");
  std::this_thread::sleep_for(kMeasure / 4);
  const std::uint64_t before = sent(rig, queues);
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(kMeasure);
  const std::uint64_t frames = sent(rig, queues) - before;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::uint32_t q = 0; q < queues; ++q) {
    __atomic_store_n(&rig.pinned[q].control.exit, 1U, __ATOMIC_RELEASE);
  }
  await_end(streams[1], "end the forwarding kernel");
  for (std::uint32_t q = 0; q < queues; ++q) {
    __atomic_store_n(&rig.pinned[q].nic_exit, 1U, __ATOMIC_RELEASE);
  }
  await_end(streams[0], "end the NICs");
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  for (std::uint32_t q = 0; q < queues; ++q) judge(rig.pinned[q]);
  return static_cast<double>(frames) / seconds;
}

void print_row(const Rig& rig, std::uint32_t queues, std::uint32_t burst, std::uint32_t threads,
               const char* separator) {
  const double rate = measure(rig, queues, burst, threads);
  const Pinned& first = rig.pinned[0];
  std::printf(
      "%s  {\"way\": \"persistent\", \"queues\": %u, \"burst\": %u, \"threads\": %u, "
      "\"mpps\": %.2f, \"frames_a_pass\": %.1f, \"nic_idle_percent\": %.0f}",
      separator, queues, burst, threads, rate / 1e6,
      static_cast<double>(first.counters.rx_packets) / static_cast<double>(first.counters.batches),
      100.0 * static_cast<double>(first.report.idle_ns) /
          static_cast<double>(first.report.total_ns));
}

template <class T>
T* pinned_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped), "allocate pinned memory");
  return static_cast<T*>(memory);
}

template <class T>
T* device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "allocate device memory");
  check(cudaMemset(memory, 0, count * sizeof(T)), "clear device memory");
  return static_cast<T*>(memory);
}

int run_all() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "find a GPU");
  const Rig rig{.devices = device_array<Device>(kMostQueues),
                .packets = device_array<std::uint8_t>(std::size_t{kMostQueues} * kDepth * kBuffer),
                .pinned = pinned_array<Pinned>(kMostQueues),
                .arguments = pinned_array<Arguments>(1)};
  std::printf("{\"gpu\": \"%s\", \"rows\": [\n", properties.name);
  const char* separator = "";
  for (const std::uint32_t queues : {1U, kMostQueues}) {
    for (const std::uint32_t burst : {16U, 32U, 64U, 512U}) {
      for (const std::uint32_t threads : {64U, 128U, 256U}) {
        print_row(rig, queues, burst, threads, separator);
        separator = ",\n";
      }
    }
  }
  std::printf("\n]}\n");
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() {
  // A module that is loaded late would wait for the kernel that runs.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  return ringside::bench::run_all();
}
