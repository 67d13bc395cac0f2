// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block of host threads whose parts are different threads, as a GPU's warps are: what works side
// by side there does so here, where ThreadSanitizer sees it.
#pragma once

#include <cstdint>

#include "lib/device/host_block.hpp"

namespace ringside::test {

/// Of four threads: the front, one that is none of the others, the ringer, the back.
struct PartedTeam {
  static constexpr std::uint32_t kThreads = 4;
  HostBlockTeam all{kThreads};
  HostBlockTeam front{1};
  HostBlockTeam ringer{1};
  HostBlockTeam back{1};
  HostBlockTeam workers{kThreads - 1};
};

class PartedHostBlock : public HostBlock {
 public:
  PartedHostBlock(PartedTeam& team, std::uint32_t rank) noexcept
      : HostBlock(team.all, rank),
        front_(team.front, 0),
        ringer_(team.ringer, 0),
        back_(team.back, 0),
        workers_(team.workers, rank) {}

  static constexpr bool kHasParts = true;
  static constexpr bool ringer_is_apart() noexcept { return true; }
  HostBlock& front() noexcept { return front_; }
  HostBlock& ringer() noexcept { return ringer_; }
  HostBlock& back() noexcept { return back_; }
  HostBlock& workers() noexcept { return workers_; }
  bool in_front() const noexcept { return rank() == 0; }
  bool in_ringer() const noexcept { return rank() + 2 == size(); }
  bool in_back() const noexcept { return rank() + 1 == size(); }
  bool in_workers() const noexcept { return !in_back(); }

 private:
  HostBlock front_;
  HostBlock ringer_;
  HostBlock back_;
  HostBlock workers_;
};
static_assert(WholeBlock<PartedHostBlock>);

}  // namespace ringside::test
