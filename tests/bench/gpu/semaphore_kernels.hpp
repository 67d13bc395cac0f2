// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The ends of semaphores on a GPU, for gpu_semaphore_bench.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "lib/device/semaphore.hpp"

namespace ringside::bench {

struct Job {
  std::uint64_t number;
  std::uint64_t answer;  ///< the consumer's: answer_to(number)
};

#if defined(__CUDACC__)
__host__ __device__
#endif
    constexpr std::uint64_t
    answer_to(std::uint64_t number) {
  return number * 3 + 1;
}

/// Who makes the calls of an end together.
enum class Caller : std::uint32_t { kThread, kWarp, kBlock };
enum class End : std::uint32_t { kProducer, kConsumer };

/// What goes wrong is counted, in memory that the CPU sees.
struct Faults {
  std::uint32_t wrong;  ///< items that are not what they should be
  std::uint32_t late;   ///< waits that ended at their deadline
};

struct Task {
  const SemaphoreHandle<Job>* rings;  ///< a pair of blocks each
  std::uint32_t pairs;
  std::uint32_t threads;  ///< a block
  std::uint32_t batch;    ///< items at once at most
  std::uint64_t items;    ///< of each ring
  Faults* faults;
};

/// Both ends of each ring, on one GPU.
cudaError_t start_pairs(const Task& task, Caller caller, cudaStream_t stream);
/// One end of each ring; the CPU has the others.
cudaError_t start_end(const Task& task, End end, cudaStream_t stream);

}  // namespace ringside::bench
