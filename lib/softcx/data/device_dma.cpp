// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/device_dma.hpp"

#include <algorithm>

namespace softcx {

bool DeviceDma::attach(CopyEngine& engine, std::string& why) {
  const std::lock_guard lock(attach_mutex_);
  if (std::find(attached_.begin(), attached_.end(), &engine) != attached_.end()) return true;
  std::unique_ptr<CopyWorker> worker = engine.open_worker(why);
  if (worker == nullptr) return false;
  auto lane = std::make_unique<CopyLane>(engine, std::move(worker));
  attached_.push_back(&engine);
  const std::lock_guard arriving_lock(arriving_mutex_);
  arriving_.push_back(std::move(lane));
  return true;
}

bool DeviceDma::move() noexcept {
  writes_.close();
  writes_.release_done();
  while (oldest_retired_ != nullptr) {
    SendBatch& batch = *oldest_retired_;
    CopyChannel& channel = batch.lane->channel;
    if (!channel.done(batch.sent) && !channel.failed()) break;
    oldest_retired_ = batch.next;
    batch.lane->give_back(batch);
  }
  for (const auto& lane : lanes_) {
    if (!lane->channel.failed() ||
        std::find(reported_.begin(), reported_.end(), lane.get()) != reported_.end()) {
      continue;
    }
    reported_.push_back(lane.get());
    report_violation("copy engine of GPU memory: " + lane->channel.failure());
  }
  return writes_.busy() || oldest_retired_ != nullptr;
}

void DeviceDma::retire(SendBatch& batch) noexcept {
  batch.use = SendBatch::Use::kSent;
  batch.next = nullptr;
  (oldest_retired_ != nullptr ? newest_retired_->next : oldest_retired_) = &batch;
  newest_retired_ = &batch;
}

void DeviceDma::sent(SendBatch& batch) noexcept {
  Sq& sq = *batch.sq;
  sq.oldest_batch = batch.next;
  if (sq.oldest_batch == nullptr) sq.newest_batch = nullptr;
  // Frames that went into device memory of the same GPU are copied from where they lie.
  writes_.close();
  batch.sent = batch.lane->channel.kick();
  retire(batch);
}

void DeviceDma::drop(Sq& sq) noexcept {
  for (SendBatch* batch = sq.oldest_batch; batch != nullptr;) {
    SendBatch& dropped = *batch;
    batch = batch->next;
    dropped.sent = dropped.ticket;
    retire(dropped);
  }
  sq.oldest_batch = sq.newest_batch = nullptr;
}

void DeviceDma::settle() {
  writes_.settle();
  for (const auto& lane : lanes_) lane->channel.wait(lane->channel.kick());
  for (const auto& lane : lanes_) {
    for (SendBatch& batch : *lane->send_batches) {
      if (batch.use == SendBatch::Use::kFetching) drop(*batch.sq);
    }
  }
  if (any()) move();
  for (const auto& lane : lanes_) lane->channel.park();
  const std::lock_guard lock(arriving_mutex_);
  std::move(arriving_.begin(), arriving_.end(), std::back_inserter(lanes_));
  arriving_.clear();
}

}  // namespace softcx
