// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The loop of one engine thread over its ports. It owns all of its state: a process has several,
// each with ports of its own.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/softcx/data/device_dma.hpp"
#include "lib/softcx/data/idle.hpp"
#include "lib/softcx/data/mtu.hpp"
#include "lib/softcx/data/port.hpp"
#include "lib/softcx/data/quiescence.hpp"
#include "lib/softcx/data/schedule.hpp"
#include "lib/softcx/nic/nic_clock.hpp"

namespace softcx {

class EngineLoop {
 public:
  /// The ports' wires must be attached; `clock` and `dma` are those that the ports use.
  EngineLoop(std::vector<std::unique_ptr<Port>>& ports, NicClock& clock, Quiescence& quiescence,
             const MtuReader& mtu, DeviceDma& dma);

  /// Runs until `stop` is set, then flushes the wires.
  void run(const std::atomic<bool>& stop);
  /// One round: a quiescent point if asked for, then doorbells, send queues and wires. False: there
  /// was nothing to do.
  bool round();

 private:
  /// Frames taken from a wire in one round.
  static constexpr std::uint32_t kReceiveBudget = 64;
  static constexpr std::uint64_t kHousekeepingNs = 10'000'000;
  /// Rounds that share a time while the engine spins: some microseconds.
  static constexpr std::uint32_t kRoundsATick = 16;

  void quiesce();
  /// `rung`: there were new rings.
  bool move_packets(bool rung) noexcept;
  void keep_house() noexcept;
  void flush_wires() noexcept;

  std::vector<std::unique_ptr<Port>>& ports_;
  NicClock& clock_;
  Quiescence& quiescence_;
  const MtuReader& mtu_;
  DeviceDma& dma_;
  Schedule schedule_;
  Idle idle_;
  std::vector<pollfd> wait_set_;
  std::uint64_t housekeeping_ns_ = 0;  ///< time of the last one
  std::uint32_t idle_rounds_ = 0;      ///< in a row, without a pause that takes long
  bool wires_bring_frames_ = false;    ///< on their own: not because a port sends
  bool flushed_ = true;
};

}  // namespace softcx
