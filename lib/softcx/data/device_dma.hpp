// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One engine thread's way to the memory of GPUs. Where no GPU is attached it does nothing, and
// costs a branch a round.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lib/softcx/data/copy_lane.hpp"
#include "lib/softcx/data/device_writes.hpp"

namespace softcx {

class DeviceDma {
 public:
  DeviceDma() : writes_(lanes_) {}

  /// Control path. The engine thread knows the GPU from its next quiescent point on. A GPU that is
  /// attached stays so. False: `why` says what failed.
  bool attach(CopyEngine& engine, std::string& why);

  // Engine thread.

  bool any() const noexcept { return !lanes_.empty(); }
  DeviceWrites& writes() noexcept { return writes_; }
  CopyLane* find(const CopyEngine* engine) const noexcept { return find_lane(lanes_, engine); }

  /// Once a round: begins and ends copies. True: some are under way.
  bool turn() noexcept { return any() && move(); }
  /// The WQEs of the batch, its queue's oldest, have been executed.
  void sent(SendBatch& batch) noexcept;
  /// Forgets what was fetched for a queue.
  void drop(Sq& sq) noexcept;
  /// A quiescent point: all copies end, what was fetched is forgotten, the copy kernels leave, and
  /// GPUs that were attached meanwhile are taken up.
  void settle();

 private:
  bool move() noexcept;
  void retire(SendBatch& batch) noexcept;

  CopyLanes lanes_;
  DeviceWrites writes_;
  SendBatch* oldest_retired_ = nullptr;  ///< copies may still read them
  SendBatch* newest_retired_ = nullptr;
  std::vector<const CopyLane*> reported_;  ///< those that have failed

  std::mutex attach_mutex_;  ///< control path only: attaching takes long
  std::vector<const CopyEngine*> attached_;
  std::mutex arriving_mutex_;
  CopyLanes arriving_;
};

}  // namespace softcx
