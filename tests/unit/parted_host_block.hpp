// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block of host threads whose parts are different threads, as a GPU's warps are: what works side
// by side there does so here, where ThreadSanitizer sees it.
#pragma once

#include <cstdint>

#include "lib/device/host_block.hpp"

namespace ringside::test {

/// Threads that look in pairs, the second of which gets to know, as lanes of a warp do.
class PairedHostBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  static constexpr std::uint32_t kLookThreads = 2;
  static constexpr std::uint32_t kAwaitLooks = 4;

  bool look(const Cqe* cqe, CqeTail& tail) noexcept {
    tail = CqeTail();
    return rank() % kLookThreads == 1 && cqe != nullptr && HostBlock::look(cqe, tail);
  }
  template <class There>
  bool await(const Cqe* cqe, There, CqeTail& tail) noexcept {
    return look(cqe, tail);
  }
};
static_assert(Block<PairedHostBlock>);

/// The front, whose pairs look at three CQEs; two threads that are none of the others, of which one
/// is the ringer, so that the workers look at four; the back.
struct PartedTeam {
  static constexpr std::uint32_t kThreads = 9;
  static constexpr std::uint32_t kInFront = 6;
  HostBlockTeam all{kThreads};
  HostBlockTeam front{kInFront};
  HostBlockTeam ringer{1};
  HostBlockTeam back{1};
  HostBlockTeam workers{kThreads - 1};
};

class PartedHostBlock : public HostBlock {
 public:
  PartedHostBlock(PartedTeam& team, std::uint32_t rank) noexcept
      : HostBlock(team.all, rank),
        front_(team.front, rank),
        ringer_(team.ringer, 0),
        back_(team.back, 0),
        workers_(team.workers, rank) {}

  static constexpr bool kHasParts = true;
  static constexpr bool ringer_is_apart() noexcept { return true; }
  PairedHostBlock& front() noexcept { return front_; }
  HostBlock& ringer() noexcept { return ringer_; }
  HostBlock& back() noexcept { return back_; }
  PairedHostBlock& workers() noexcept { return workers_; }
  bool in_front() const noexcept { return rank() < PartedTeam::kInFront; }
  bool in_ringer() const noexcept { return rank() + 2 == size(); }
  bool in_back() const noexcept { return rank() + 1 == size(); }
  bool in_workers() const noexcept { return !in_back(); }

 private:
  PairedHostBlock front_;
  HostBlock ringer_;
  HostBlock back_;
  PairedHostBlock workers_;
};
static_assert(WholeBlock<PartedHostBlock>);

}  // namespace ringside::test
