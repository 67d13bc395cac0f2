// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues in GPU memory, the NIC model at their other end, and posters on SMs of their own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/gpu_send/bench_case.hpp"
#include "tests/bench/gpu_send/nic_model.cuh"

namespace ringside::bench {

inline constexpr std::uint32_t kLogDepth = 13;
inline constexpr std::uint32_t kDepth = 1U << kLogDepth;
inline constexpr std::uint32_t kSqn = 0x00ab00;
inline constexpr std::uint32_t kLkey = 0x00123400;
/// Shared memory that every block asks for and does not use: more than half of an SM's, so that no
/// two blocks share one.
inline constexpr std::uint32_t kWholeSm = 120 * 1024;

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }
}

/// Zeroed GPU memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    memory_.reset(static_cast<T*>(memory));
    check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
  }
  T* get() const { return memory_.get(); }
  void put(const std::vector<T>& values) {
    check(cudaMemcpy(get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  std::vector<T> values() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), get(), count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return copy;
  }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t count_;
};

/// A queue's memory. Everything that two parties write lies apart.
struct RigQueue {
  DeviceArray<SendWqe> wqe{kDepth};
  DeviceArray<Cqe> cqe{kDepth};
  DeviceArray<DoorbellRecord> record{16};
  DeviceArray<CqDoorbellRecord> cq_record{16};
  DeviceArray<std::uint64_t> doorbell{16};
  DeviceArray<TxQueueState> state{1};
  DeviceArray<TxSharedState> shared{1};
  DeviceArray<std::uint64_t> batch_end{kDepth};
  DeviceArray<std::uint64_t> order;
  DeviceArray<ModelTurns> turns{1};
  DeviceArray<ModelReport> report{1};

  explicit RigQueue(std::uint32_t posters) : order(std::size_t{posters} * kOrderWindow) {
    std::vector<Cqe> unused(kDepth);
    for (Cqe& entry : unused) entry.op_own = kCqeInitialOpOwn;
    cqe.put(unused);
    report.put({ModelReport{.first_bad = ~std::uint64_t{0}}});
  }
  TxQueueHandle handle() const {
    return {wqe.get(),       record.get(), doorbell.get(), cqe.get(),
            cq_record.get(), nullptr,      state.get(),    kLkey,
            kLogDepth,       kLogDepth,    kSqn,           /*in_gpu_memory=*/true};
  }
};

/// Two streams, since the posters and the model run at the same time.
class Rig {
 public:
  Rig();
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  /// Runs `axes` once. `post(queues, stream)` launches the posters' kernel, which ends when all it
  /// posted is complete. `cq_has_record`: the posters tell which CQEs they have consumed.
  template <class Format, class Post>
  Outcome run(const Case& axes, bool cq_has_record, Post post) {
    std::vector<std::unique_ptr<RigQueue>> queues;
    std::vector<ModelQueue> models;
    for (std::uint32_t i = 0; i < axes.queues; ++i) {
      queues.push_back(std::make_unique<RigQueue>(axes.blocks_a_queue * axes.posters_a_block));
      TxQueueHandle seen = queues.back()->handle();
      if (!cq_has_record) seen.cq_record = nullptr;
      models.push_back({seen, axes.wqes_a_queue(), axes.burst, queues.back()->order.get(),
                        queues.back()->turns.get(), queues.back()->report.get()});
    }
    DeviceArray<ModelQueue> model_queues(models.size());
    model_queues.put(models);
    check(cudaFuncSetAttribute(nic_model<Format>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kWholeSm),
          "shared memory");
    check(cudaDeviceSynchronize(), "before the run");
    nic_model<Format>
        <<<axes.queues * kModelBlocks, kModelThreads, kWholeSm, model_>>>(model_queues.get());
    check(cudaGetLastError(), "NIC model");
    check(cudaEventRecord(start_, posters_), "event");
    post(queues, posters_);
    check(cudaGetLastError(), "posters");
    check(cudaEventRecord(stop_, posters_), "event");
    check(cudaDeviceSynchronize(), "the run");
    return outcome(axes, queues);
  }

 private:
  Outcome outcome(const Case& axes, const std::vector<std::unique_ptr<RigQueue>>& queues) const;

  cudaStream_t model_{};
  cudaStream_t posters_{};
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

}  // namespace ringside::bench
