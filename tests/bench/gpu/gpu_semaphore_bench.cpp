// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Semaphores on a GPU: between blocks by a thread, a warp and a block at each end, and between a
// block and a thread of the CPU, both ways. Every item is checked at both ends; a line a case, exit
// status 1 when something was lost, torn or late. A batch of 1 on a ring of 1 is a round trip.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/bench/gpu/semaphore_kernels.hpp"

namespace ringside::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kTimeoutNs = 1'000'000'000;
constexpr std::size_t kAlignment = 128;

void check(cudaError_t result, const char* action) {
  if (result == cudaSuccess) return;
  fmt::print(stderr, "gpu_semaphore_bench: cannot {}: {}\n", action, cudaGetErrorString(result));
  std::exit(1);
}

/// Rings in GPU memory, or in pinned memory of the host.
class Rings {
 public:
  Rings(std::uint32_t count, std::uint32_t log_depth, bool pinned) : pinned_(pinned) {
    const std::size_t each =
        (semaphore_bytes<Job>(log_depth) + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = nullptr;
    if (pinned) {
      check(cudaMallocHost(&memory, each * count), "pin memory");
      std::memset(memory, 0, each * count);
    } else {
      check(cudaMalloc(&memory, each * count), "allocate memory");
      check(cudaMemset(memory, 0, each * count), "clear memory");
    }
    memory_ = static_cast<std::uint8_t*>(memory);
    for (std::uint32_t i = 0; i < count; ++i) {
      rings.push_back(semaphore_in<Job>(memory_ + i * each, log_depth));
    }
    check(cudaMalloc(&memory, count * sizeof(rings[0])), "allocate memory");
    on_gpu = static_cast<SemaphoreHandle<Job>*>(memory);
    check(cudaMemcpy(on_gpu, rings.data(), count * sizeof(rings[0]), cudaMemcpyHostToDevice),
          "copy to the GPU");
    check(cudaDeviceSynchronize(), "clear memory");
  }
  ~Rings() {
    cudaFree(on_gpu);
    pinned_ ? cudaFreeHost(memory_) : cudaFree(memory_);
  }
  Rings(const Rings&) = delete;

  std::vector<SemaphoreHandle<Job>> rings;
  SemaphoreHandle<Job>* on_gpu = nullptr;

 private:
  std::uint8_t* memory_ = nullptr;
  bool pinned_;
};

class Bench {
 public:
  Bench() {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, sizeof(Faults)), "pin memory");
    faults_ = static_cast<Faults*>(memory);
    check(cudaStreamCreate(&stream_), "make a stream");
  }

  void between_blocks(Caller caller, std::uint32_t threads, std::uint32_t pairs,
                      std::uint32_t batch, std::uint32_t log_depth, std::uint64_t items) {
    constexpr const char* kNames[] = {"thread", "warp", "block"};
    const Rings rings(pairs, log_depth, false);
    const Task task{rings.on_gpu, pairs, threads, batch, items, faults_};
    run(fmt::format("GPU to GPU, {} of {}, {} pairs, batch {}", kNames[static_cast<int>(caller)],
                    threads, pairs, batch),
        pairs * items, [&] { check(start_pairs(task, caller, stream_), "start"); });
  }

  void to_cpu(std::uint32_t threads, std::uint32_t batch, std::uint32_t log_depth,
              std::uint64_t items) {
    const Rings rings(1, log_depth, true);
    const Task task{rings.on_gpu, 1, threads, batch, items, faults_};
    run(fmt::format("GPU to CPU, block of {}, 1 pairs, batch {}", threads, batch), items, [&] {
      check(start_end(task, End::kProducer, stream_), "start");
      ThreadScope cpu;
      SemaphoreConsumer<Job, Reach::kSystem> semaphore(rings.rings[0]);
      SemaphoreBatch taken{};
      while ((taken = semaphore.take(cpu, batch, kTimeoutNs)).status == SemaphoreStatus::kOk) {
        for (std::uint64_t n = taken.first; n < taken.first + taken.count; ++n) {
          Job& job = semaphore.item(n);
          if (job.number != n) ++wrong_;
          job.answer = answer_to(job.number);
          semaphore.done(n);
        }
      }
      if (taken.status != SemaphoreStatus::kClosed || semaphore.taken() != items) ++late_;
    });
  }

  void from_cpu(std::uint32_t threads, std::uint32_t batch, std::uint32_t log_depth,
                std::uint64_t items) {
    const Rings rings(1, log_depth, true);
    const Task task{rings.on_gpu, 1, threads, batch, items, faults_};
    run(fmt::format("CPU to GPU, block of {}, 1 pairs, batch {}", threads, batch), items, [&] {
      check(start_end(task, End::kConsumer, stream_), "start");
      ThreadScope cpu;
      SemaphoreProducer<Job, Reach::kSystem> semaphore(rings.rings[0]);
      while (semaphore.collected() < items) {
        const std::uint64_t first = semaphore.posted();
        const auto left = static_cast<std::uint32_t>(items - first);
        const std::uint32_t posts = std::min({left, batch, semaphore.room()});
        if (posts > 0) {
          semaphore.send(
              cpu, posts,
              [&](std::uint32_t i) {
                return Job{first + i, 0};
              },
              0);
        }
        const SemaphoreBatch back =
            semaphore.collect(cpu, semaphore.depth(), posts > 0 ? 0 : kTimeoutNs);
        if (back.status != SemaphoreStatus::kOk) {
          ++late_;
          break;
        }
        for (std::uint64_t n = back.first; n < back.first + back.count; ++n) {
          if (semaphore.item(n).answer != answer_to(n)) ++wrong_;
        }
      }
      semaphore.close(cpu);
    });
  }

  bool failed() const { return failed_; }

 private:
  template <class Start>
  void run(const std::string& name, std::uint64_t items, Start start) {
    *faults_ = {};
    wrong_ = late_ = 0;
    const auto begin = Clock::now();
    start();
    check(cudaStreamSynchronize(stream_), "run");
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::uint32_t wrong = wrong_ + faults_->wrong;
    const std::uint32_t late = late_ + faults_->late;
    fmt::print("{}: {:.1f} M items/s, {:.2f} ns each, {} wrong, {} late\n", name,
               static_cast<double>(items) / seconds / 1e6,
               seconds * 1e9 / static_cast<double>(items), wrong, late);
    failed_ = failed_ || wrong != 0 || late != 0;
  }

  Faults* faults_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::uint32_t wrong_ = 0;
  std::uint32_t late_ = 0;
  bool failed_ = false;
};

int main_program() {
  Bench bench;
  constexpr std::uint64_t kMany = 2'000'000;
  bench.between_blocks(Caller::kThread, 32, 1, 1, 0, 20'000);  // the first one loads the code too
  bench.between_blocks(Caller::kThread, 32, 1, 1, 0, 100'000);
  bench.between_blocks(Caller::kWarp, 32, 1, 1, 0, 100'000);
  bench.between_blocks(Caller::kBlock, 128, 1, 1, 0, 100'000);
  bench.between_blocks(Caller::kThread, 32, 1, 32, 10, 200'000);
  bench.between_blocks(Caller::kWarp, 32, 1, 32, 10, kMany);
  for (const std::uint32_t threads : {32U, 128U, 256U, 1024U}) {
    bench.between_blocks(Caller::kBlock, threads, 1, threads, 11, kMany);
  }
  bench.between_blocks(Caller::kBlock, 256, 32, 256, 11, kMany);
  bench.to_cpu(32, 1, 0, 20'000);
  bench.to_cpu(256, 256, 11, kMany / 2);
  bench.from_cpu(32, 1, 0, 20'000);
  bench.from_cpu(256, 256, 11, kMany / 2);
  return bench.failed() ? 1 : 0;
}

}  // namespace
}  // namespace ringside::bench

int main() {
  return ringside::bench::main_program();
}
