// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_burst_run.hpp"

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/gpu/host_kernel_run.hpp"
#include "lib/gpu/host_threads.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kStopMs = 2000;

}  // namespace

HostBurstRun::HostBurstRun(const HostKernel& kernel, const BurstRunConfig& config,
                           const std::string& device_name, std::shared_ptr<HostMemory> memory)
    : kernel_(kernel), device_name_(device_name), memory_(std::move(memory)) {
  HostKernelRun::check_block_threads(config.threads_per_block);
  for (const BurstLaneArgs& lane : config.lanes) {
    lanes_.emplace_back(lane, config.threads_per_block).args.exit = &exit_;
  }
  const bool resident = config.launch == BurstLaunch::kResident;
  const auto run = [this, resident](unsigned index, unsigned thread) {
    Lane& lane = lanes_[index];
    HostBlock block(lane.team, thread);
    if (resident) {
      kernel_.serve_bursts(block, lane.args);
    } else {
      serve_launches(block, lane);
    }
  };
  threads_ = start_host_threads(
      {device_name_, static_cast<unsigned>(lanes_.size()), config.threads_per_block, config.cpus},
      run, *memory_);
}

HostBurstRun::~HostBurstRun() {
  store_release_system(&exit_, 1U);  // meets the looks of each block's rank 0
  if (threads_->wait(Deadline::after_ms(kStopMs))) return;
  end_program_with(kernel_.name, device_name_);
}

bool HostBurstRun::launch(std::size_t lane, std::uint32_t) noexcept {
  // Places are used in turn, so a count says which is meant. Release: the burst comes before it.
  std::atomic<std::uint64_t>& launched = lanes_[lane].launched;
  launched.store(launched.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return true;
}

void HostBurstRun::serve_launches(HostBlock& block, const Lane& lane) const {
  struct Look {
    bool ready;
    bool end;
  };
  std::uint64_t done = 0;
  for (;;) {
    const auto is_over = [&] { return load_relaxed_system(&exit_) != 0; };
    // Acquire pairs with the release of launch().
    const auto is_ready = [&] { return lane.launched.load(std::memory_order_acquire) != done; };
    Look look{};
    if (block.rank() == 0) look = {is_ready(), is_over()};
    look = block.broadcast(look);
    if (look.ready) {
      kernel_.run_burst(block, lane.args.places[done % lane.args.count]);
      ++done;
    } else if (look.end) {
      return;
    } else {
      block.idle([&] { return is_over() || is_ready(); });
    }
  }
}

}  // namespace ringside
