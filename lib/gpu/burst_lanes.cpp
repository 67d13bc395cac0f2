// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/burst_lanes.hpp"

namespace ringside {
namespace {

std::unique_ptr<BurstPlaces> make_places(GpuDevice& device, BurstLaunch launch,
                                         const BurstPlacesConfig& config) {
  if (launch == BurstLaunch::kResident) return std::make_unique<CommListPlaces>(device, config);
  return std::make_unique<PinnedPlaces>(device, config);
}

}  // namespace

bool BurstLane::submit(std::span<rte_mbuf* const> mbufs) noexcept {
  const std::uint32_t at = place(submitted_);
  if (!places_.fill(at, mbufs)) return false;
  if (launches_ && !run_.launch(index_, at)) {
    places_.clear(at);
    return false;
  }
  ++submitted_;
  return true;
}

const Verdict* BurstLane::verdicts() const noexcept {
  const std::uint32_t at = place(retired_);
  return !empty() && places_.done(at) ? places_.verdicts(at) : nullptr;
}

void BurstLane::retire() noexcept {
  places_.clear(place(retired_++));
}

BurstLanes::BurstLanes(GpuDevice& device, const BurstLanesConfig& config) {
  BurstRunConfig run{.launch = config.launch,
                     .kernel = config.kernel,
                     .threads_per_block = config.threads_per_block,
                     .lanes = {},
                     .cpus = config.cpus};
  for (const ProgramArgs& program : config.programs) {
    places_.push_back(make_places(device, config.launch,
                                  {.count = kMaxBurstPlaces,
                                   .capacity = config.burst,
                                   .view_offset = config.view_offset,
                                   .program = program}));
    run.lanes.push_back(places_.back()->lane_args());
  }
  run_ = device.start_bursts(run);
  const bool launches = run.launch != BurstLaunch::kResident;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    lanes_.emplace_back(*places_[i], *run_, i, launches);
  }
}

}  // namespace ringside
