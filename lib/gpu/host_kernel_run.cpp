// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_kernel_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"

namespace ringside {
namespace {

/// What a block may take to see its exit word, beside draining its sends.
constexpr std::uint64_t kStopMs = 2000;

const char* phase_text(BlockPhase phase) noexcept {
  switch (phase) {
    case BlockPhase::kNotStarted:
      return "has not started";
    case BlockPhase::kReceiving:
      return "receives";
    case BlockPhase::kProcessing:
      return "processes packets";
    case BlockPhase::kWaitingForSendRoom:
      return "waits for room in its send queue";
    case BlockPhase::kDraining:
      return "waits for its sends to complete";
    case BlockPhase::kFinished:
      return "has finished";
    case BlockPhase::kFailed:
      return "has failed";
  }
  return "is in an unknown phase";
}

void check(const LaunchConfig& config, const HostKernel& kernel) {
  if (config.streams.empty()) {
    throw usage_error(fmt::format("kernel '{}' has no stream to run on", kernel.name),
                      "give it at least one queue");
  }
  if (config.threads_per_block == 0 ||
      config.threads_per_block > HostKernelRun::kMaxThreadsPerBlock) {
    throw usage_error(fmt::format("a block cannot have {} threads", config.threads_per_block),
                      fmt::format("choose 1 to {}", HostKernelRun::kMaxThreadsPerBlock));
  }
}

}  // namespace

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
  memory_->kernel_started();
  try {
    threads_ = std::make_unique<BlockThreads>(
        BlockThreads::Config{device_name_, static_cast<unsigned>(streams_.size()),
                             config.threads_per_block, config.cpus},
        run, [this] { memory_->kernel_ended(); });
  } catch (...) {
    memory_->kernel_ended();
    throw;
  }
}

HostKernelRun::~HostKernelRun() {
  if (!running()) return;  // and then the streams' words may be gone
  request_stop();
  if (threads_->wait(Deadline::after_ms(stop_ms()))) return;
  fmt::print(stderr,
             "ringside: kernel '{}' on {} cannot be stopped: {}. What it uses cannot be "
             "freed; the program ends.\n",
             kernel_.name, device_name_, unfinished());
  std::terminate();
}

void HostKernelRun::request_stop() noexcept {
  // Meets the exit poll of each block's rank 0.
  for (const StreamArgs& stream : streams_) store_release_system(&stream.control->exit, 1U);
}

void HostKernelRun::join(Deadline deadline) {
  if (threads_->wait(deadline)) return;
  throw Error(fmt::format("kernel '{}' on {} did not stop in time: {}", kernel_.name, device_name_,
                          unfinished()),
              "see whether the NIC still completes sends; otherwise end the program");
}

std::string HostKernelRun::unfinished() const {
  std::vector<std::string> texts;
  for (const unsigned block : threads_->unfinished()) {
    // Meets the block's store of its phase.
    const auto phase = load_acquire_system(&streams_[block].status->phase);
    texts.push_back(fmt::format("block {} {}", block, phase_text(phase)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::uint64_t HostKernelRun::stop_ms() const noexcept {
  std::uint64_t drain_ns = 0;
  for (const StreamArgs& stream : streams_) drain_ns = std::max(drain_ns, stream.drain_ns);
  return kStopMs + drain_ns / 1'000'000;
}

}  // namespace ringside
