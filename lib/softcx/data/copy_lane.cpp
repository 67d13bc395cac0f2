// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/copy_lane.hpp"

#include <algorithm>

namespace softcx {
namespace {

template <class Batches, class Free>
void cut_staging(CopyLane& lane, Batches& batches, std::uint32_t slice, std::uint32_t& at,
                 Free& free) {
  free.reserve(batches.size());
  for (auto& batch : batches) {
    batch.lane = &lane;
    batch.begin = at;
    batch.size = slice;
    at += slice;
    free.push_back(&batch);
  }
}

template <class Batch>
Batch* take(std::vector<Batch*>& free) noexcept {
  if (free.empty()) return nullptr;
  Batch* const batch = free.back();
  free.pop_back();
  batch->clear();
  return batch;
}

}  // namespace

CopyLane* find_lane(const CopyLanes& lanes, const CopyEngine* engine) noexcept {
  const auto found = std::find_if(lanes.begin(), lanes.end(),
                                  [&](const auto& lane) { return &lane->engine == engine; });
  return found != lanes.end() ? found->get() : nullptr;
}

CopyLane::CopyLane(CopyEngine& engine_in, std::unique_ptr<CopyWorker> worker)
    : engine(engine_in),
      channel(std::move(worker)),
      send_batches(std::make_unique<std::array<SendBatch, kSendBatches>>()),
      write_batches(std::make_unique<std::array<WriteBatch, kWriteBatches>>()) {
  std::uint32_t at = 0;
  cut_staging(*this, *send_batches, kSendSlice, at, free_send_batches_);
  cut_staging(*this, *write_batches, kWriteSlice, at, free_write_batches_);
}

SendBatch* CopyLane::take_send_batch() noexcept {
  SendBatch* const batch = take(free_send_batches_);
  if (batch == nullptr) return nullptr;
  batch->use = SendBatch::Use::kFetching;
  batch->read_count = batch->next_read = 0;
  batch->next = nullptr;
  return batch;
}

WriteBatch* CopyLane::take_write_batch() noexcept {
  WriteBatch* const batch = take(free_write_batches_);
  if (batch == nullptr) return nullptr;
  batch->held_count = 0;
  batch->next = nullptr;
  return batch;
}

void CopyLane::give_back(SendBatch& batch) noexcept {
  batch.use = SendBatch::Use::kFree;
  free_send_batches_.push_back(&batch);
}

void CopyLane::give_back(WriteBatch& batch) noexcept {
  free_write_batches_.push_back(&batch);
}

}  // namespace softcx
