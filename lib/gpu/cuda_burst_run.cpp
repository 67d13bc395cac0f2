// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_burst_run.hpp"

#include <time.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/cuda_kernel_run.hpp"
#include "lib/gpu/cuda_residency.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kStopMs = 2000;
constexpr std::size_t kLanesOffset = 128;  // behind the exit word, which is polled

/// cuLaunchKernel's and a graph node's; the kernel's argument is copied by both.
struct Parameters {
  explicit Parameters(const void* argument) : list{const_cast<void*>(argument)} {}
  void* list[1];
};

}  // namespace

CudaBurstRun::CudaBurstRun(const CudaModule& module, const BurstRunConfig& config,
                           GpuDevice& device, std::shared_ptr<CudaMemory> memory)
    : config_(config), device_name_(device.info().name), memory_(std::move(memory)) {
  CudaKernelRun::check_block_threads(config.threads_per_block);
  const bool resident = config.launch == BurstLaunch::kResident;
  kernel_ = module.kernel(config.kernel, resident ? CudaEntry::kServeBursts : CudaEntry::kRunBurst);
  const CurrentContext current(memory_->context());
  words_ = device.allocate_shared(kLanesOffset + config.lanes.size() * sizeof(BurstLaneArgs),
                                  kLanesOffset);
  try {
    streams_.resize(resident ? 1 : config.lanes.size());
    for (CUstream& stream : streams_) {
      cuda().check(cuda().cuStreamCreate_(&stream, CU_STREAM_NON_BLOCKING), "make a CUDA stream");
    }
    if (resident) start_resident(kernel_);
    if (config.launch == BurstLaunch::kGraph) make_graphs(kernel_);
  } catch (...) {
    release();
    throw;
  }
  memory_->kernel_started();
}

void CudaBurstRun::start_resident(CUfunction kernel) {
  check_residency(kernel, config_.lanes.size(), config_.threads_per_block, memory_->device());
  auto* lanes = reinterpret_cast<BurstLaneArgs*>(words_.data() + kLanesOffset);
  std::copy(config_.lanes.begin(), config_.lanes.end(), lanes);
  for (std::size_t i = 0; i < config_.lanes.size(); ++i) {
    lanes[i].exit = words_.kernel_pointer<const std::uint32_t>();
  }
  const auto* argument = words_.kernel_pointer<const BurstLaneArgs>(kLanesOffset);
  Parameters parameters(&argument);
  cuda().check(cuda().cuLaunchKernel_(kernel, static_cast<unsigned>(config_.lanes.size()), 1, 1,
                                      config_.threads_per_block, 1, 1, 0, streams_[0],
                                      parameters.list, nullptr),
               fmt::format("launch kernel '{}' on {}", config_.kernel, device_name_));
}

void CudaBurstRun::make_graphs(CUfunction kernel) {
  graphs_.resize(config_.lanes.size() * kMaxBurstPlaces);
  for (std::size_t lane = 0; lane < config_.lanes.size(); ++lane) {
    for (std::uint32_t place = 0; place < config_.lanes[lane].count; ++place) {
      Parameters parameters(&config_.lanes[lane].places[place]);
      CUDA_KERNEL_NODE_PARAMS node{};
      node.func = kernel;
      node.gridDimX = node.gridDimY = node.gridDimZ = 1;
      node.blockDimX = config_.threads_per_block;
      node.blockDimY = node.blockDimZ = 1;
      node.kernelParams = parameters.list;
      CUgraph graph = nullptr;
      cuda().check(cuda().cuGraphCreate_(&graph, 0), "make a CUDA graph");
      CUgraphNode added = nullptr;
      CUgraphExec& executable = graphs_[lane * kMaxBurstPlaces + place];
      CUresult result = cuda().cuGraphAddKernelNode_(&added, graph, nullptr, 0, &node);
      if (result == CUDA_SUCCESS) result = cuda().cuGraphInstantiate_(&executable, graph, 0);
      if (result == CUDA_SUCCESS) result = cuda().cuGraphUpload_(executable, streams_[lane]);
      cuda().cuGraphDestroy_(graph);
      cuda().check(result, fmt::format("make a CUDA graph of kernel '{}'", config_.kernel));
    }
  }
}

CudaBurstRun::~CudaBurstRun() {
  // Meets the looks of each resident block's rank 0.
  store_release_system(reinterpret_cast<std::uint32_t*>(words_.data()), 1U);
  if (!wait(Deadline::after_ms(kStopMs))) end_program_with(config_.kernel, device_name_);
  memory_->kernel_ended();
  const ContextGuard current(memory_->context());
  release();
}

void CudaBurstRun::enter_thread() noexcept {
  cuda().cuCtxSetCurrent_(memory_->context());
}

bool CudaBurstRun::launch(std::size_t lane, std::uint32_t place) noexcept {
  CUresult result = CUDA_SUCCESS;
  if (config_.launch == BurstLaunch::kGraph) {
    result = cuda().cuGraphLaunch_(graphs_[lane * kMaxBurstPlaces + place], streams_[lane]);
  } else {
    Parameters parameters(&config_.lanes[lane].places[place]);
    result = cuda().cuLaunchKernel_(kernel_, 1, 1, 1, config_.threads_per_block, 1, 1, 0,
                                    streams_[lane], parameters.list, nullptr);
  }
  if (result != CUDA_SUCCESS) refused_.store(result, std::memory_order_relaxed);
  return result == CUDA_SUCCESS;
}

std::string CudaBurstRun::fault() const {
  if (const CUresult refused = refused_.load(std::memory_order_relaxed); refused != CUDA_SUCCESS) {
    return fmt::format("kernel '{}' cannot be launched on {}: {}", config_.kernel, device_name_,
                       cuda().text(refused));
  }
  const CUresult result = state();
  if (result == CUDA_ERROR_NOT_READY) return {};
  if (result == CUDA_SUCCESS) {
    return config_.launch == BurstLaunch::kResident
               ? fmt::format("kernel '{}' on {} ended though nothing stopped it", config_.kernel,
                             device_name_)
               : std::string{};
  }
  return fmt::format(
      "kernel '{}' on {} faulted: {}: the GPU's context is lost: end the program, and run it under "
      "compute-sanitizer",
      config_.kernel, device_name_, cuda().text(result));
}

CUresult CudaBurstRun::state() const noexcept {
  const ContextGuard current(memory_->context());
  CUresult all = CUDA_SUCCESS;
  for (CUstream stream : streams_) {
    const CUresult one = cuda().cuStreamQuery_(stream);
    if (one != CUDA_SUCCESS && (all == CUDA_SUCCESS || all == CUDA_ERROR_NOT_READY)) all = one;
  }
  return all;
}

bool CudaBurstRun::wait(Deadline deadline) noexcept {
  while (state() == CUDA_ERROR_NOT_READY) {
    if (deadline.passed()) return false;
    constexpr timespec kPoll{0, 200'000};
    ::nanosleep(&kPoll, nullptr);
  }
  return true;
}

void CudaBurstRun::release() noexcept {
  for (CUgraphExec graph : graphs_) {
    if (graph != nullptr) cuda().cuGraphExecDestroy_(graph);
  }
  for (CUstream stream : streams_) {
    if (stream != nullptr) cuda().cuStreamDestroy_(stream);
  }
}

}  // namespace ringside
