// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the bytes of device memory are that a send WQE names: in staging memory, fetched before in
// the order of the WQEs.
#pragma once

#include <cstdint>

#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/copy_lane.hpp"
#include "lib/softcx/data/device_dma.hpp"

namespace softcx {

class StagedReads {
 public:
  /// `dma`: nullptr where there is no way to device memory.
  explicit StagedReads(const DeviceDma* dma) : dma_(dma) {}

  /// Whose WQEs are executed from here on; nullptr: such as read no device memory.
  void use(SendBatch* batch) noexcept { batch_ = batch; }

  /// False, and nothing is taken: this range is not what was fetched next. Of a frame that is too
  /// long to be sent `bytes` is nullptr.
  bool take(const Place& place, std::uint32_t length, const std::uint8_t*& bytes) noexcept {
    if (batch_ == nullptr || batch_->next_read == batch_->read_count) return false;
    const StagedRead& read = batch_->reads[batch_->next_read];
    if (read.on_gpu != place.bytes || read.length != length) return false;
    ++batch_->next_read;
    bytes = read.staged;
    return true;
  }
  /// Why take() has failed.
  Fault fault(const Place& place) const noexcept {
    const CopyLane* const lane = dma_ != nullptr ? dma_->find(place.copy_engine) : nullptr;
    const bool lost = lane == nullptr || lane->channel.failed();
    return {ringside::CqeSyndrome::kLocalProtection, lost ? Cause::kCopyEngine : Cause::kNotStaged};
  }

 private:
  const DeviceDma* const dma_;
  SendBatch* batch_ = nullptr;
};

}  // namespace softcx
