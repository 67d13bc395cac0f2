// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/receive_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/injection.hpp"
#include "lib/softcx/data/prefetch.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/data/vlan_stripper.hpp"

namespace softcx {
void stop(Rq& rq) noexcept {
  // Compare and exchange: the control path may move the queue to reset at the same time, and wins.
  QueueState ready = QueueState::kReady;
  rq.state.compare_exchange_strong(ready, QueueState::kError, std::memory_order_acq_rel);
}

namespace {

using ringside::Be16;
using ringside::Be32;
using ringside::Be64;
using ringside::Cqe;
using ringside::CqeOpcode;
using ringside::CqeSyndrome;

static_assert(offsetof(Cqe, user_index) == offsetof(Cqe, lro_segments) + 1,
              "the user index is written with the byte before it");

constexpr std::uint32_t kFlowTagMask = 0xffffff;
/// How far ahead buffers and completions are fetched into the cache.
constexpr std::uint32_t kPrefetchWqes = 4;
constexpr std::uint32_t kByteCountForNone = 0x80000000U;  // byte_count 0 means 2^31 (PRM)

// An entry of a scatter list.
std::uint32_t lkey(const std::uint8_t* entry) noexcept {
  return read_be32(entry + 4);
}
std::uint64_t address(const std::uint8_t* entry) noexcept {
  return read_be64(entry + 8);
}
std::uint32_t byte_count(const std::uint8_t* entry) noexcept {
  const std::uint32_t value = read_be32(entry) & ~kByteCountForNone;
  return value != 0 ? value : kByteCountForNone;
}

/// The receive WQE's list of buffers. An entry with the invalid lkey ends it. Each entry is read
/// once for copying: a driver that changes it meanwhile harms only itself.
class ScatterList {
 public:
  ScatterList(KeyReader& keys, const std::uint8_t* wqe, std::uint32_t log_stride,
              DeviceWrites* writes) noexcept
      : keys_(keys), writes_(writes), next_(wqe), end_(next_ + (std::size_t{1} << log_stride)) {}

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
      const Place to = keys_.translate(lkey_, address_, chunk);
      if (to.bytes == nullptr) return false;
      if (!to.on_gpu()) {
        std::memcpy(to.bytes, from, chunk);
      } else if (!write_to_gpu(to, from, chunk)) {
        return false;
      }
      from += chunk;
      length -= chunk;
      address_ += chunk;
      room_ -= chunk;
    }
    return true;
  }
  /// Is a part on its way to device memory?
  bool reaches_gpu() const noexcept { return reaches_gpu_; }
  /// Why write() has failed.
  Cause cause() const noexcept { return cause_; }

 private:
  bool write_to_gpu(const Place& to, const std::uint8_t* from, std::uint32_t length) noexcept {
    reaches_gpu_ = true;
    if (writes_ != nullptr && writes_->write(to, from, length)) return true;
    cause_ = Cause::kCopyEngine;
    return false;
  }
  bool advance() noexcept {
    if (next_ == end_) return false;
    room_ = byte_count(next_);
    lkey_ = lkey(next_);
    address_ = address(next_);
    next_ += ringside::kWqeSegment;
    return true;
  }

  KeyReader& keys_;
  DeviceWrites* const writes_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint32_t room_ = 0, lkey_ = 0;  ///< of the entry that is being filled
  std::uint64_t address_ = 0;
  bool reaches_gpu_ = false;
  Cause cause_ = Cause::kMemoryKey;
};

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

/// A memcpy() for what most frames are: no call, and 33 to 64 bytes by four moves.
[[gnu::always_inline]] inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from,
                                              std::uint32_t length) noexcept {
  using Quarter [[gnu::vector_size(16)]] = std::uint8_t;
  constexpr std::uint32_t kSize = sizeof(Quarter);
  if (length <= 2 * kSize || length > 4 * kSize) {
    std::memcpy(to, from, length);
    return;
  }
  Quarter first, second, last_but_one, last;  // the last two overlap the others
  std::memcpy(&first, from, kSize);
  std::memcpy(&second, from + kSize, kSize);
  std::memcpy(&last_but_one, from + length - 2 * kSize, kSize);
  std::memcpy(&last, from + length - kSize, kSize);
  std::memcpy(to, &first, kSize);
  std::memcpy(to + kSize, &second, kSize);
  std::memcpy(to + length - 2 * kSize, &last_but_one, kSize);
  std::memcpy(to + length - kSize, &last, kSize);
}

}  // namespace

[[gnu::always_inline]] inline Delivery RqWriter::scatter(std::uint16_t index,
                                                         const Frame& frame) noexcept {
  const std::uint8_t* const entry = wqe(index);
  const bool one_piece = frame.segments.size() == 1 && byte_count(entry) >= frame.length &&
                         lkey(entry) != ringside::kInvalidLkey;
  if (!one_piece) [[unlikely]] {
    return scatter_list(index, frame);
  }
  const Place to = keys_.translate(lkey(entry), address(entry), frame.length);
  if (to.bytes == nullptr) [[unlikely]] {
    return refuse_key(index, Cause::kMemoryKey);
  }
  if (to.on_gpu()) [[unlikely]] {
    return send_to_gpu(index, to, frame.segments[0]);
  }
  copy_bytes(to.bytes, frame.segments[0].data, frame.length);
  return Delivery::kDelivered;
}

[[gnu::always_inline]] inline Delivery RqWriter::place(std::uint16_t index, const Frame& frame,
                                                       const Verdict& verdict,
                                                       const HeaderFacts& facts, Tag tag) noexcept {
  const Delivery outcome = scatter(index, frame);
  const bool on_its_way = outcome == Delivery::kOnItsWay;
  if (outcome != Delivery::kDelivered && !on_its_way) [[unlikely]] {
    return outcome;
  }
  Cqe* const cqe = claim(*rq_.device, cq_);
  if (cqe == nullptr) [[unlikely]] {
    stop(rq_);
    return Delivery::kCqOverrun;
  }
  // Written where it lies; the driver does not look at it before op_own turns.
  std::memset(static_cast<void*>(cqe), 0, offsetof(Cqe, timestamp));
  cqe->rx_hash_result = Be32::of(verdict.rss_hash);
  cqe->rx_hash_type = verdict.rss_hash_type;
  cqe->checksum = Be16::of(0xffff);
  cqe->header_flags = facts.header_flags;
  cqe->header_types = static_cast<std::uint8_t>(facts.header_types |
                                                (tag.stripped ? ringside::kCqeVlanStripped : 0));
  cqe->vlan_info = Be16::of(tag.tci);
  std::memcpy(&cqe->lro_segments, &user_index_, sizeof(user_index_));
  cqe->byte_count = Be32::of(frame.length);
  cqe->timestamp = frame.left_ns != 0 ? ringside::Be64::of(frame.left_ns) : timestamp_;
  // Drivers take a tag other than 0 for a mark, so an unmarked packet must carry 0.
  cqe->sop_qpn = Be32::of(verdict.marked ? verdict.flow_tag & kFlowTagMask : 0);
  cqe->wqe_counter = Be16::of(index);
  cqe->signature = 0;
  if (on_its_way) [[unlikely]] {
    writes_->hold(cq_, *cqe, next_op_own(cq_, CqeOpcode::kResponderSend), &rq_, frame.length);
  } else {
    publish(cq_, *cqe, CqeOpcode::kResponderSend);
  }
  return outcome;
}

Delivery RqWriter::deliver(const Frame& frame, const Verdict& verdict,
                           const HeaderFacts& facts) noexcept {
  // Acquire: pairs with the control path's release; what it set before the state is seen.
  if (rq_.state.load(std::memory_order_acquire) != QueueState::kReady) [[unlikely]] {
    flush_in_error(rq_);
    return Delivery::kNotReady;
  }
  if (available_ == 0) {
    // Acquire: the receive WQEs, and the buffers' last use, came before the index.
    const std::uint16_t producer = load_index(rq_.record->receive_counter);
    const std::uint32_t posted = static_cast<std::uint16_t>(producer - rq_.consumer);
    if (posted == 0) return Delivery::kNoBuffer;
    if (posted > 1U << rq_.log_depth) [[unlikely]] {
      return refuse_index(rq_, producer);
    }
    available_ = posted;
  }
  --available_;
  if (rq_.faults != nullptr) [[unlikely]] {
    if (const auto outcome = strike_receive(rq_)) return *outcome;
  }
  const std::uint16_t index = rq_.consumer++;
  // What is posted there may be nothing yet: a prefetch of a wrong address does no harm.
  prefetch_write(keys_.guess(address(wqe(index + kPrefetchWqes))), frame.length);
  prefetch_write(&cq_.ring[(cq_.producer + kPrefetchWqes) & cqe_mask_], sizeof(Cqe));
  if (rq_.vlan_strip_disable.load(std::memory_order_relaxed)) [[likely]] {
    return place(index, frame, verdict, facts, {});
  }
  return strip_and_place(index, frame, verdict, facts);
}

Delivery RqWriter::strip_and_place(std::uint16_t index, const Frame& frame, const Verdict& verdict,
                                   const HeaderFacts& facts) noexcept {
  VlanStripper stripper;
  Tag tag;
  const Frame stripped = stripper.strip(frame, tag.stripped, tag.tci);
  return place(index, stripped, verdict, facts, tag);
}

Delivery RqWriter::scatter_list(std::uint16_t index, const Frame& frame) noexcept {
  ScatterList list(keys_, wqe(index), rq_.log_stride, writes_);
  if (!list.holds(frame.length)) {
    if (complete_fault(rq_, index, {CqeSyndrome::kLocalLength, Cause::kScatterList})) {
      return Delivery::kLengthError;
    }
    stop(rq_);
    return Delivery::kCqOverrun;
  }
  for (const Segment& segment : frame.segments) {
    if (!list.write(segment.data, segment.length)) return refuse_key(index, list.cause());
  }
  return list.reaches_gpu() ? Delivery::kOnItsWay : Delivery::kDelivered;
}

Delivery RqWriter::send_to_gpu(std::uint16_t index, const Place& to,
                               const Segment& bytes) noexcept {
  if (writes_ != nullptr && writes_->write(to, bytes.data, bytes.length)) {
    return Delivery::kOnItsWay;
  }
  return refuse_key(index, Cause::kCopyEngine);
}

Delivery RqWriter::refuse_key(std::uint16_t index, Cause cause) noexcept {
  stop(rq_);
  complete_fault(rq_, index, {CqeSyndrome::kLocalProtection, cause});
  flush(rq_);
  return Delivery::kProtection;
}

void fail_next(Rq& rq, Fault fault) noexcept {
  const std::uint16_t index = rq.consumer++;
  // Any other costs the packet and its buffer.
  const bool stops = fault.syndrome == CqeSyndrome::kLocalQpOperation ||
                     fault.syndrome == CqeSyndrome::kLocalProtection ||
                     fault.syndrome == CqeSyndrome::kWorkRequestFlushed;
  if (stops) stop(rq);
  complete_fault(rq, index, fault);
  if (stops) flush(rq);
}

void flush_in_error(Rq& rq) noexcept {
  // Acquire: in reset the index is the control path's.
  if (rq.state.load(std::memory_order_acquire) == QueueState::kError) flush(rq);
}

}  // namespace softcx
