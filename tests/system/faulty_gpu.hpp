// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU that goes wrong as a test says.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside::test {

/// What is left of a kernel that died on the GPU: the first join tells the fault.
class DeadKernel final : public PersistentKernel {
 public:
  void request_stop() noexcept override {}
  void join(Deadline) override {
    if (!std::exchange(told_, true)) throw Error("kernel 'io' faulted: bad address", "");
  }
  bool running() const noexcept override { return false; }

 private:
  bool told_ = false;
};

/// What becomes of bursts that a GPU was given.
struct HeldBursts {
  std::atomic<bool> go{false};
  std::atomic<bool> dead{false};
  std::atomic<bool> stuck{false};  ///< whoever launches does not come back
};

/// A GPU that takes bursts and does not begin with them. As on an NVIDIA GPU, a thread that has not
/// entered cannot launch.
class HeldRun final : public BurstRun {
 public:
  HeldRun(std::unique_ptr<BurstRun> run, std::shared_ptr<HeldBursts> held)
      : run_(std::move(run)), held_(std::move(held)) {}

  void enter_thread() noexcept override {
    run_->enter_thread();
    const std::lock_guard lock(mutex_);
    entered_.insert(std::this_thread::get_id());
  }
  bool launch(std::size_t lane, std::uint32_t place) noexcept override {
    while (held_->stuck) std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    if (!entered_.contains(std::this_thread::get_id())) return false;
    waiting_.emplace_back(lane, place);
    return true;
  }
  /// Whoever asks sets those off that wait.
  std::string fault() const override {
    if (held_->dead) return "kernel 'io' faulted: bad address";
    const std::lock_guard lock(mutex_);
    if (held_->go) {
      for (const auto& [lane, place] : waiting_) run_->launch(lane, place);
      waiting_.clear();
    }
    return run_->fault();
  }

 private:
  std::unique_ptr<BurstRun> run_;
  std::shared_ptr<HeldBursts> held_;
  mutable std::mutex mutex_;
  std::set<std::thread::id> entered_;
  mutable std::vector<std::pair<std::size_t, std::uint32_t>> waiting_;
};

/// A GPU whose next launch something goes wrong with, as a bug might.
class FaultyGpu final : public GpuDevice {
 public:
  using Fault = std::function<void(std::vector<StreamArgs>&)>;

  explicit FaultyGpu(std::unique_ptr<GpuDevice> gpu)
      : GpuDevice(gpu->info()), gpu_(std::move(gpu)) {}

  void spoil_next_launch(Fault fault) { fault_ = std::move(fault); }
  void kill_next_kernel() { kill_ = true; }
  /// The next run of bursts does not begin with any until `held->go`.
  void hold_next_bursts(std::shared_ptr<HeldBursts> held) { held_ = std::move(held); }

  std::uint32_t block_threads(std::uint32_t asked) const override {
    return gpu_->block_threads(asked);
  }
  bool shared_memory_follows_device_memory() const override {
    return gpu_->shared_memory_follows_device_memory();
  }
  bool runs_host_functions() const override { return gpu_->runs_host_functions(); }
  std::optional<UniqueFd> export_dmabuf(const GpuMemory& memory, std::uint64_t& offset,
                                        std::string& why_not) override {
    return gpu_->export_dmabuf(memory, offset, why_not);
  }
  void add_kernel(const UserKernel& kernel) override { gpu_->add_kernel(kernel); }
  bool add_kernel(const KernelSource& source, std::string& why_not) override {
    return gpu_->add_kernel(source, why_not);
  }
  void store_to_device(const GpuMemory& to, std::size_t offset, std::uint64_t value) override {
    gpu_->store_to_device(to, offset, value);
  }
  void copy_to_device(const GpuMemory& to, std::size_t offset, const void* from,
                      std::size_t size) override {
    gpu_->copy_to_device(to, offset, from, size);
  }
  void copy_from_device(void* to, const GpuMemory& from, std::size_t offset,
                        std::size_t size) override {
    gpu_->copy_from_device(to, from, offset, size);
  }
  std::unique_ptr<PersistentKernel> launch(const LaunchConfig& config) override {
    if (std::exchange(kill_, false)) return std::make_unique<DeadKernel>();
    LaunchConfig changed = config;
    if (const Fault fault = std::exchange(fault_, {})) fault(changed.streams);
    return gpu_->launch(changed);
  }
  std::unique_ptr<BurstRun> start_bursts(const BurstRunConfig& config) override {
    auto run = gpu_->start_bursts(config);
    if (held_ == nullptr) return run;
    return std::make_unique<HeldRun>(std::move(run), std::exchange(held_, nullptr));
  }

 private:
  DoorbellView map_doorbell(std::uint64_t* doorbell) override { return {doorbell, ""}; }
  void unmap_doorbell(std::uint64_t*) noexcept override {}
  std::int64_t view_offset(std::uint8_t*) override { return 0; }  // gpu_host that is not opaque
  std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) override {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, rounded));
    std::memset(memory, 0, rounded);
    return memory;
  }
  void free_shared_raw(std::uint8_t* data, std::size_t) noexcept override { std::free(data); }

  std::unique_ptr<GpuDevice> gpu_;
  Fault fault_;
  bool kill_ = false;
  std::shared_ptr<HeldBursts> held_;
};

}  // namespace ringside::test
