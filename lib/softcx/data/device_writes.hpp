// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Received packets on their way to device memory. Their completions are held until the copies have
// ended, and become valid in the order in which they were made: none overtakes its packet, nor
// another completion. Of one engine thread.
#pragma once

#include <cstdint>

#include "lib/softcx/data/copy_lane.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

class DeviceWrites {
 public:
  explicit DeviceWrites(CopyLanes& lanes) : lanes_(lanes) {}

  /// Copies `length` bytes to `to`, which is on a GPU; bytes that lie in that GPU's staging memory
  /// are taken from there, and must stay until the copies that were ordered so far have ended.
  /// False: the GPU's copy engine has failed.
  bool write(const Place& to, const std::uint8_t* from, std::uint32_t length) noexcept;
  /// Makes a completion valid, by `op_own`, when all that was written so far has arrived. `rq`: of
  /// the packet that was written last, which counts as delivered then; if it does not arrive, as a
  /// protection error, which stops the queue. nullptr: of something else.
  void hold(Cq& cq, ringside::Cqe& entry, std::uint8_t op_own, Rq* rq,
            std::uint32_t length) noexcept;

  /// Has the copies begin that were not begun yet.
  void close() noexcept;
  /// Makes completions valid whose copies have ended.
  void release_done() noexcept;
  /// Waits for all copies; then no completion is held.
  void settle() noexcept;
  bool busy() const noexcept { return oldest_ != nullptr || open_ != nullptr; }

 private:
  bool prepare(CopyLane& lane, std::uint64_t bytes) noexcept;
  void open(CopyLane& lane) noexcept;
  void release_oldest() noexcept;

  CopyLanes& lanes_;
  WriteBatch* open_ = nullptr;
  WriteBatch* oldest_ = nullptr;  ///< of the closed ones
  WriteBatch* newest_ = nullptr;
};

}  // namespace softcx
