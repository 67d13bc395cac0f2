// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/launched_kernels.hpp"

#include <algorithm>

#include "lib/base/log.hpp"
#include "lib/gpu/block_phase.hpp"

namespace ringside {

void LaunchedKernels::launch(const std::vector<KernelPlan>& plans) {
  std::vector<Launched> started;
  for (const KernelPlan& plan : plans) {
    const LaunchConfig& config = plan.config;
    log(LogLevel::kInfo, "kernel {} on {}: {} blocks of {} threads", config.kernel,
        plan.gpu.info().name, config.streams.size(), config.threads_per_block);
    started.push_back({plan.gpu.launch(config), plan.blocks, stop_ms(config.streams)});
  }
  kernels_ = std::move(started);
  fault_.reset();
}

std::optional<Error> LaunchedKernels::stop() {
  std::optional<Error> failure;
  for (const Launched& one : kernels_) {
    one.kernel->request_stop();
    try {
      one.kernel->join(Deadline::after_ms(one.stop_ms));
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  }
  return failure;
}

bool LaunchedKernels::all_ended() const {
  return std::ranges::none_of(kernels_, [](const Launched& one) { return one.kernel->running(); });
}

PersistentKernel* LaunchedKernels::dead(std::span<const GpuStream> streams) const {
  for (const Launched& one : kernels_) {
    // In this order: what has ended writes no more words.
    if (one.kernel->running()) continue;
    const bool all_said = std::ranges::all_of(one.blocks, [streams](const auto& block) {
      return streams[block.first].block_ended(block.second);
    });
    if (!all_said) return one.kernel.get();
  }
  return nullptr;
}

std::string LaunchedKernels::take_fault(std::span<const GpuStream> streams) {
  if (fault_) return "";
  PersistentKernel* const found = dead(streams);
  if (found == nullptr) return "";
  try {
    found->join(Deadline::after_ms(0));
    fault_.emplace("the kernel ended though nothing stopped it", "stop, and start again");
  } catch (const Error& error) {
    fault_ = error;
  }
  return fault_->what();
}

}  // namespace ringside
