// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_kernel_run.hpp"

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/gpu/host_threads.hpp"

namespace ringside {
namespace {

void check(const LaunchConfig& config, const HostKernel& kernel) {
  if (config.streams.empty()) {
    throw usage_error(fmt::format("kernel '{}' has no stream to run on", kernel.name),
                      "give it at least one queue");
  }
  HostKernelRun::check_block_threads(config.threads_per_block);
}

}  // namespace

void HostKernelRun::check_block_threads(std::uint32_t threads) {
  if (threads == 0 || threads > kMaxThreadsPerBlock) {
    throw usage_error(fmt::format("a block cannot have {} threads", threads),
                      fmt::format("choose 1 to {} (--gpu-block-threads)", kMaxThreadsPerBlock));
  }
}

HostKernelRun::HostKernelRun(const HostKernel& kernel, const LaunchConfig& config,
                             const std::string& device_name, std::shared_ptr<HostMemory> memory)
    : kernel_(kernel),
      device_name_(device_name),
      memory_(std::move(memory)),
      streams_(config.streams) {
  check(config, kernel);
  for (std::size_t i = 0; i < streams_.size(); ++i) teams_.emplace_back(config.threads_per_block);
  const auto run = [this](unsigned block, unsigned thread) {
    HostBlock view(teams_[block], thread);
    kernel_.run(view, streams_[block]);
  };
  threads_ = start_host_threads(
      {device_name_, static_cast<unsigned>(streams_.size()), config.threads_per_block, config.cpus},
      run, *memory_);
}

HostKernelRun::~HostKernelRun() {
  if (!running()) return;  // and then the streams' words may be gone
  request_stop();
  if (threads_->wait(Deadline::after_ms(stop_ms(streams_)))) return;
  end_program_with(kernel_.name, device_name_, blocks_text(streams_, threads_->unfinished()));
}

void HostKernelRun::request_stop() noexcept {
  // Meets the exit poll of each block's back.
  for (const StreamArgs& stream : streams_) store_release_system(&stream.control->exit, 1U);
}

void HostKernelRun::join(Deadline deadline) {
  if (threads_->wait(deadline)) return;
  throw Error(fmt::format("kernel '{}' on {} did not stop in time: {}", kernel_.name, device_name_,
                          blocks_text(streams_, threads_->unfinished())),
              "see whether the NIC still completes sends; otherwise end the program");
}

}  // namespace ringside
