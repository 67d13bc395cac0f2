// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/receive_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/data/vlan_stripper.hpp"

namespace softcx {
namespace {

using ringside::Be16;
using ringside::Be32;
using ringside::Be64;
using ringside::Cqe;
using ringside::CqeOpcode;
using ringside::CqeSyndrome;

constexpr std::uint32_t kFlowTagMask = 0xffffff;
constexpr std::uint32_t kByteCountForNone = 0x80000000U;  // byte_count 0 means 2^31 (PRM)

/// The receive WQE's list of buffers. An entry with the invalid lkey ends it. Each entry is read
/// once for copying: a driver that changes it meanwhile harms only itself.
class ScatterList {
 public:
  ScatterList(const Rq& rq, std::uint16_t index) noexcept
      : rq_(rq),
        next_(rq.ring + (std::size_t{index & ((1U << rq.log_depth) - 1)} << rq.log_stride)),
        end_(next_ + (std::size_t{1} << rq.log_stride)) {}

  bool holds(std::uint32_t length) const noexcept {
    std::uint64_t room = 0;
    for (const std::uint8_t* entry = next_; entry != end_ && room < length;
         entry += ringside::kWqeSegment) {
      if (lkey(entry) == ringside::kInvalidLkey) break;
      room += byte_count(entry);
    }
    return room >= length;
  }
  /// Copies behind what was copied before. False: a key or an address that must not be written.
  bool write(const std::uint8_t* from, std::uint32_t length) noexcept {
    while (length != 0) {
      if (room_ == 0 && !advance()) return false;
      const std::uint32_t chunk = std::min(length, room_);
      std::uint8_t* to = rq_.device->translate(lkey_, rq_.pdn, address_, chunk, true);
      if (to == nullptr) return false;
      std::memcpy(to, from, chunk);
      from += chunk;
      length -= chunk;
      address_ += chunk;
      room_ -= chunk;
    }
    return true;
  }

 private:
  static std::uint32_t lkey(const std::uint8_t* entry) noexcept { return read_be32(entry + 4); }
  static std::uint32_t byte_count(const std::uint8_t* entry) noexcept {
    const std::uint32_t value = read_be32(entry) & ~kByteCountForNone;
    return value != 0 ? value : kByteCountForNone;
  }
  bool advance() noexcept {
    if (next_ == end_) return false;
    room_ = byte_count(next_);
    lkey_ = lkey(next_);
    address_ = read_be64(next_ + 8);
    next_ += ringside::kWqeSegment;
    return true;
  }

  const Rq& rq_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint32_t room_ = 0, lkey_ = 0;  ///< of the entry that is being filled
  std::uint64_t address_ = 0;
};

bool scatter(const Frame& frame, ScatterList& list) noexcept {
  return std::all_of(frame.segments.begin(), frame.segments.end(), [&](const Segment& segment) {
    return list.write(segment.data, segment.length);
  });
}

void stop(Rq& rq) noexcept {
  // Compare and exchange: the control path may move the queue to reset at the same time, and wins.
  QueueState ready = QueueState::kReady;
  rq.state.compare_exchange_strong(ready, QueueState::kError, std::memory_order_acq_rel);
}

bool complete_fault(Rq& rq, std::uint16_t index, Fault fault) noexcept {
  return complete_error(*rq.device, *rq.cq, CqeOpcode::kResponderError, fault, rq.user_index,
                        rq.rqn, 0, index);
}

/// Gives back what is posted to a queue in error.
void flush(Rq& rq) noexcept {
  if (!rq.flush_in_error) return;
  const std::uint16_t producer = load_index(rq.record->receive_counter);
  // A record that says more than the ring holds: nothing of it can be believed.
  if (static_cast<std::uint16_t>(producer - rq.consumer) > 1U << rq.log_depth) return;
  while (rq.consumer != producer) {
    const std::uint16_t index = rq.consumer++;
    complete_fault(rq, index, {CqeSyndrome::kWorkRequestFlushed, Cause::kFlushed});
  }
}

[[gnu::cold]] Delivery refuse_index(Rq& rq, std::uint16_t producer) noexcept {
  report_violation(
      fmt::format("{}: receive queue {:#x}: the doorbell record says", rq.device->ibdev, rq.rqn),
      fmt::format(" {} with {} consumed, but the ring has {} entries", producer, rq.consumer,
                  1U << rq.log_depth));
  stop(rq);
  complete_fault(rq, rq.consumer, {CqeSyndrome::kLocalQpOperation, Cause::kProducerIndex});
  return Delivery::kNotReady;
}

Cqe describe(const Rq& rq, std::uint16_t index, const Verdict& verdict, const HeaderFacts& facts,
             std::uint64_t timestamp) noexcept {
  Cqe cqe{};
  cqe.rx_hash_result = Be32::of(verdict.rss_hash);
  cqe.rx_hash_type = verdict.rss_hash_type;
  cqe.checksum = Be16::of(0xffff);
  cqe.header_flags = facts.header_flags;
  cqe.header_types = facts.header_types;
  set_user_index(cqe, rq.user_index);
  cqe.timestamp = Be64::of(timestamp);
  // Drivers take a tag other than 0 for a mark, so an unmarked packet must carry 0.
  cqe.sop_qpn = Be32::of(verdict.marked ? verdict.flow_tag & kFlowTagMask : 0);
  cqe.wqe_counter = Be16::of(index);
  return cqe;
}

/// Copies the frame into the buffers of the WQE at `index` and completes it.
Delivery place(Rq& rq, std::uint16_t index, const Frame& frame, Cqe& cqe) noexcept {
  ScatterList list(rq, index);
  if (!list.holds(frame.length)) [[unlikely]] {
    if (complete_fault(rq, index, {CqeSyndrome::kLocalLength, Cause::kScatterList})) {
      return Delivery::kLengthError;
    }
    stop(rq);
    return Delivery::kCqOverrun;
  }
  if (!scatter(frame, list)) [[unlikely]] {
    stop(rq);
    complete_fault(rq, index, {CqeSyndrome::kLocalProtection, Cause::kMemoryKey});
    flush(rq);
    return Delivery::kProtection;
  }
  cqe.byte_count = Be32::of(frame.length);
  if (!complete(*rq.device, *rq.cq, cqe, CqeOpcode::kResponderSend)) [[unlikely]] {
    stop(rq);
    return Delivery::kCqOverrun;
  }
  return Delivery::kDelivered;
}

}  // namespace

Delivery deliver(Rq& rq, const Frame& frame, const Verdict& verdict, const HeaderFacts& facts,
                 std::uint64_t timestamp) noexcept {
  // Acquire: pairs with the control path's release; what it set before the state is seen.
  const QueueState state = rq.state.load(std::memory_order_acquire);
  if (state != QueueState::kReady) [[unlikely]] {
    flush_in_error(rq);
    return Delivery::kNotReady;
  }
  // Acquire: the receive WQEs, and the buffers' last use, came before the index.
  const std::uint16_t producer = load_index(rq.record->receive_counter);
  const std::uint32_t available = static_cast<std::uint16_t>(producer - rq.consumer);
  if (available == 0) return Delivery::kNoBuffer;
  if (available > 1U << rq.log_depth) [[unlikely]] {
    return refuse_index(rq, producer);
  }
  const std::uint16_t index = rq.consumer++;
  Cqe cqe = describe(rq, index, verdict, facts, timestamp);
  if (rq.vlan_strip_disable.load(std::memory_order_relaxed)) [[likely]] {
    return place(rq, index, frame, cqe);
  }
  VlanStripper stripper;
  return place(rq, index, stripper.strip(frame, cqe), cqe);
}

void flush_in_error(Rq& rq) noexcept {
  // Acquire: in reset the index is the control path's.
  if (rq.state.load(std::memory_order_acquire) == QueueState::kError) flush(rq);
}

}  // namespace softcx
