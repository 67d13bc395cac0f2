// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/block_phase.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "lib/base/log.hpp"
#include "lib/device/memory.hpp"

namespace ringside {
namespace {

/// What a block may take to see its exit word.
constexpr std::uint64_t kSeeExitMs = 2000;

BlockPhase phase_of(const StreamArgs& stream) noexcept {
  return load_acquire_system(&stream.status->phase);  // meets the block's store of its phase
}

}  // namespace

const char* phase_text(BlockPhase phase) noexcept {
  switch (phase) {
    case BlockPhase::kNotStarted:
      return "has not started";
    case BlockPhase::kReceiving:
      return "receives and processes";
    case BlockPhase::kWaitingForSendRoom:
      return "waits for room in its send queue";
    case BlockPhase::kDraining:
      return "waits for its sends to complete";
    case BlockPhase::kAwaitingRecovery:
      return "waits for the recovery of a stopped queue";
    case BlockPhase::kFinished:
      return "has finished";
    case BlockPhase::kFailed:
      return "has failed";
  }
  return "is in an unknown phase";
}

std::vector<unsigned> unfinished_blocks(std::span<const StreamArgs> streams) {
  std::vector<unsigned> blocks;
  for (unsigned block = 0; block < streams.size(); ++block) {
    const BlockPhase phase = phase_of(streams[block]);
    if (phase != BlockPhase::kFinished && phase != BlockPhase::kFailed) blocks.push_back(block);
  }
  return blocks;
}

std::string blocks_text(std::span<const StreamArgs> streams, std::span<const unsigned> blocks) {
  std::string text;
  for (const unsigned block : blocks) {
    text += fmt::format("{}block {} {}", text.empty() ? "" : ", ", block,
                        phase_text(phase_of(streams[block])));
  }
  return text;
}

void end_program_with(std::string_view kernel, std::string_view device,
                      std::string_view blocks) noexcept {
  log(LogLevel::kCritical,
      "kernel '{}' on {} cannot be stopped{}{}. What it uses cannot be freed; the program ends.",
      kernel, device, blocks.empty() ? "" : ": ", blocks);
  std::terminate();
}

std::uint64_t stop_ms(std::span<const StreamArgs> streams) noexcept {
  std::uint64_t drain_ns = 0;
  for (const StreamArgs& stream : streams) drain_ns = std::max(drain_ns, stream.drain_ns);
  return kSeeExitMs + drain_ns / 1'000'000;
}

}  // namespace ringside
