// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/device/cuda_block.hpp"
#include "tests/bench/gpu/semaphore_kernels.hpp"

namespace ringside::bench {
namespace {

constexpr std::uint64_t kTimeoutNs = 1'000'000'000;

__device__ void count(std::uint32_t* counter) {
  store_relaxed_system(counter, load_relaxed_system(counter) + 1);
}

/// Posts all items, and takes each back with its answer.
template <Reach kReach, Scope S>
__device__ void produce(S& scope, const SemaphoreHandle<Job>& ring, const Task& task) {
  SemaphoreProducer<Job, kReach> semaphore(ring);
  while (semaphore.collected() < task.items) {
    std::uint32_t posts = semaphore.room() < task.batch ? semaphore.room() : task.batch;
    if (task.items - semaphore.posted() < posts) {
      posts = static_cast<std::uint32_t>(task.items - semaphore.posted());
    }
    if (posts > 0) {
      const std::uint64_t first = semaphore.posted();
      semaphore.send(
          scope, posts,
          [&](std::uint32_t i) {
            return Job{first + i, 0};
          },
          0);
    }
    const SemaphoreBatch back =
        semaphore.collect(scope, semaphore.depth(), posts > 0 ? 0 : kTimeoutNs);
    if (back.status != SemaphoreStatus::kOk) {
      if (scope.rank() == 0) count(&task.faults->late);
      return;
    }
    for (std::uint32_t i = scope.rank(); i < back.count; i += scope.size()) {
      const Job job = semaphore.item(back.first + i);
      if (job.number != back.first + i || job.answer != answer_to(job.number)) {
        count(&task.faults->wrong);
      }
    }
    scope.sync();  // read, before they are written again
  }
  semaphore.close(scope);
}

template <Reach kReach, Scope S>
__device__ void consume(S& scope, const SemaphoreHandle<Job>& ring, const Task& task) {
  SemaphoreConsumer<Job, kReach> semaphore(ring);
  for (;;) {
    const SemaphoreBatch batch = semaphore.take(scope, task.batch, kTimeoutNs);
    if (batch.status != SemaphoreStatus::kOk) {
      if (scope.rank() == 0 && batch.status == SemaphoreStatus::kLate) count(&task.faults->late);
      return;
    }
    for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
      Job& job = semaphore.item(batch.first + i);
      if (job.number != batch.first + i) count(&task.faults->wrong);
      job.answer = answer_to(job.number);
      semaphore.done(batch.first + i);
    }
  }
}

template <Reach kReach, Scope S>
__device__ void run_end(S& scope, End end, const SemaphoreHandle<Job>& ring, const Task& task) {
  if (end == End::kProducer) {
    produce<kReach>(scope, ring, task);
  } else {
    consume<kReach>(scope, ring, task);
  }
}

__global__ void pairs(Task task, Caller caller) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  const End end = blockIdx.x % 2 == 0 ? End::kProducer : End::kConsumer;
  const SemaphoreHandle<Job> ring = task.rings[blockIdx.x / 2];
  if (caller == Caller::kBlock) {
    run_end<Reach::kDevice>(block, end, ring, task);
  } else if (caller == Caller::kWarp) {
    CudaWarp warp = block.front();
    if (block.in_front()) run_end<Reach::kDevice>(warp, end, ring, task);
  } else if (threadIdx.x == 0) {
    ThreadScope thread;
    run_end<Reach::kDevice>(thread, end, ring, task);
  }
}

__global__ void ends(Task task, End end) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  run_end<Reach::kSystem>(block, end, task.rings[blockIdx.x], task);
}

}  // namespace

cudaError_t start_pairs(const Task& task, Caller caller, cudaStream_t stream) {
  pairs<<<2 * task.pairs, task.threads, 0, stream>>>(task, caller);
  return cudaGetLastError();
}

cudaError_t start_end(const Task& task, End end, cudaStream_t stream) {
  ends<<<task.pairs, task.threads, 0, stream>>>(task, end);
  return cudaGetLastError();
}

}  // namespace ringside::bench
