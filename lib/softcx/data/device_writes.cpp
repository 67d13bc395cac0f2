// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/device_writes.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>

#include "lib/mlx5/format/striding.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/receive_queue.hpp"

namespace softcx {
namespace {

using ringside::Cqe;
using ringside::CqeOpcode;

void turn_owner(Cqe& entry, std::uint8_t op_own) noexcept {
  // Release: pairs with the driver's acquire. The packet came before: its copies were seen to have
  // ended, by an acquire of what the GPU released.
  std::atomic_ref<std::uint8_t>(entry.op_own).store(op_own, std::memory_order_release);
}

void deliver(const HeldCompletion& held) noexcept {
  turn_owner(*held.entry, held.op_own);
  if (held.rq == nullptr) return;
  count(held.rq->device->counters.rx_delivered);
  count(held.rq->device->counters.rx_delivered_bytes, held.length);
}

void refuse(const HeldCompletion& held) noexcept {
  if (held.rq == nullptr) return turn_owner(*held.entry, held.op_own);
  count(held.rq->device->counters.rx_protection_error);
  stop(*held.rq);
  Cqe error = error_cqe({ringside::CqeSyndrome::kLocalProtection, Cause::kCopyEngine},
                        held.rq->user_index, held.rq->rqn, 0, held.entry->wqe_counter.value());
  error.wqe_id = held.entry->wqe_id;
  error.byte_count = ringside::Be32::of(held.entry->byte_count.value() & ~ringside::kCqeLengthMask);
  std::memcpy(static_cast<void*>(held.entry), &error, offsetof(Cqe, op_own));
  turn_owner(*held.entry, op_own_of(CqeOpcode::kResponderError, held.op_own));
}

}  // namespace

bool DeviceWrites::write(const Place& to, const std::uint8_t* from, std::uint32_t length) noexcept {
  CopyLane* const lane = open_ != nullptr && &open_->lane->engine == to.copy_engine
                             ? open_->lane
                             : find_lane(lanes_, to.copy_engine);
  if (lane == nullptr || lane->channel.failed()) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(to.bytes);
  std::uint8_t* const staging = lane->channel.staging();
  const std::uint64_t offset =
      reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(staging);
  const bool staged = offset < kCopyStagingBytes && offset % kCopyUnit == address % kCopyUnit;
  if (!prepare(*lane, staged ? 0 : CopyBatch::slot_bytes(address, length))) return false;
  std::uint32_t at = static_cast<std::uint32_t>(offset);
  if (!staged) {
    at = open_->take_slot(address, length);
    std::memcpy(staging + at, from, length);
  }
  lane->channel.add({address, at, length | CopyDescriptor::kToDevice});
  if (++open_->copies % kCopiesToKick == 0) lane->channel.kick();
  return true;
}

bool DeviceWrites::prepare(CopyLane& lane, std::uint64_t bytes) noexcept {
  if (bytes > CopyLane::kWriteSlice) return false;
  const bool fits = open_ != nullptr && open_->lane == &lane && open_->has_room(bytes) &&
                    open_->held_count < open_->held.size();
  if (!fits) open(lane);
  return true;
}

/// Waits for the oldest batch where all are in use: the lane's are among the closed ones then.
void DeviceWrites::open(CopyLane& lane) noexcept {
  if (open_ != nullptr) close();
  while ((open_ = lane.take_write_batch()) == nullptr) release_oldest();
}

void DeviceWrites::hold(Cq& cq, Cqe& entry, std::uint8_t op_own, Rq* rq,
                        std::uint32_t length) noexcept {
  if (open_ == nullptr || open_->held_count == open_->held.size()) {
    open(open_ != nullptr ? *open_->lane : *newest_->lane);
  }
  open_->held[open_->held_count++] = {&entry, &cq, rq, length, op_own};
  cq.holder = this;
  ++cq.held;
}

void DeviceWrites::close() noexcept {
  if (open_ == nullptr) return;
  open_->ticket = open_->lane->channel.kick();
  (newest_ != nullptr ? newest_->next : oldest_) = open_;
  newest_ = open_;
  open_ = nullptr;
}

void DeviceWrites::release_done() noexcept {
  while (oldest_ != nullptr) {
    CopyChannel& channel = oldest_->lane->channel;
    if (!channel.done(oldest_->ticket) && !channel.failed()) return;
    release_oldest();
  }
}

void DeviceWrites::release_oldest() noexcept {
  WriteBatch& batch = *oldest_;
  CopyChannel& channel = batch.lane->channel;
  channel.wait(batch.ticket);
  const bool arrived = channel.done(batch.ticket);
  for (std::uint32_t i = 0; i < batch.held_count; ++i) {
    const HeldCompletion& held = batch.held[i];
    if (arrived) {
      deliver(held);
    } else {
      refuse(held);
    }
    if (--held.cq->held == 0) held.cq->holder = nullptr;
  }
  oldest_ = batch.next;
  if (oldest_ == nullptr) newest_ = nullptr;
  batch.lane->give_back(batch);
}

void DeviceWrites::settle() noexcept {
  close();
  while (oldest_ != nullptr) release_oldest();
}

}  // namespace softcx
