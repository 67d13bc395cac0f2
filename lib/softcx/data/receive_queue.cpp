// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/receive_queue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lib/mlx5/format/striding.hpp"
#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/broken_wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/injection.hpp"
#include "lib/softcx/data/prefetch.hpp"
#include "lib/softcx/data/scatter_list.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/data/vlan_stripper.hpp"
#include "lib/softcx/data/watch_posts.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"

namespace softcx {
void stop(Rq& rq) noexcept {
  // Compare and exchange: the control path may move the queue to reset at the same time, and wins.
  QueueState ready = QueueState::kReady;
  rq.state.compare_exchange_strong(ready, QueueState::kError, std::memory_order_acq_rel);
  if (rq.device->posted != nullptr) rq.device->posted->forget(&rq);
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

/// Gives back what is posted to a queue in error.
void flush(Rq& rq) noexcept {
  if (!rq.flush_in_error) return;
  const std::uint16_t producer = load_index(rq.record->receive_counter);
  // A record that says more than the ring holds: nothing of it can be believed.
  if (static_cast<std::uint16_t>(producer - rq.consumer) > 1U << rq.log_depth) return;
  while (rq.consumer != producer) {
    complete_fault(rq, take_rest(rq), {CqeSyndrome::kWorkRequestFlushed, Cause::kFlushed});
  }
}

std::string name_of_memory(std::uint32_t gpu) {
  return gpu == 0 ? "RAM" : fmt::format("the memory of GPU {}", gpu);
}

[[gnu::cold]] void report_overtaken(const Rq& rq, std::uint32_t gpu) noexcept {
  report_broken(RuleId::kReceiveCompletionOrder, object_name(*rq.device, "receive queue", rq.rqn),
                fmt::format("a packet in {}, and the ring of completion queue {:#x} in {}",
                            name_of_memory(gpu), rq.cq->cqn, name_of_memory(rq.cq->home.gpu)));
}

[[gnu::cold]] Delivery refuse_index(Rq& rq, std::uint16_t producer) noexcept {
  report_broken(RuleId::kReceiveRecordBeyondRing, object_name(*rq.device, "receive queue", rq.rqn),
                fmt::format("the doorbell record says {} with {} consumed, but the ring has {} "
                            "entries",
                            producer, rq.consumer, 1U << rq.log_depth));
  stop(rq);
  complete_fault(rq, {rq.consumer, rq.strides.used},
                 {CqeSyndrome::kLocalQpOperation, Cause::kProducerIndex});
  return Delivery::kNotReady;
}

/// What is left of the WQE is too little for the next packet. False: the queue has stopped.
bool fill_up(Rq& rq) noexcept {
  if (complete_filler(rq)) return true;
  stop(rq);
  return false;
}

bool write_frame(ScatterList& list, const Frame& frame) noexcept {
  for (const Segment& segment : frame.segments) {
    if (!list.write(segment.data, segment.length)) return false;
  }
  return true;
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
  const ScatterEntry entry{wqe(index)};
  const bool one_piece = frame.segments.size() == 1 && entry.byte_count() >= frame.length &&
                         entry.lkey() != ringside::kInvalidLkey && late_.writes == nullptr;
  if (!one_piece) [[unlikely]] {
    return scatter_list(index, frame);
  }
  const Place to = keys_.translate(entry.lkey(), entry.address(), frame.length);
  if (to.bytes == nullptr) [[unlikely]] {
    report_key(rq_, keys_, {entry.lkey(), entry.address(), frame.length});
    return refuse_key({index}, Cause::kMemoryKey);
  }
  if (to.on_gpu()) [[unlikely]] {
    return send_to_gpu(index, to, frame.segments[0]);
  }
  copy_bytes(to.bytes, frame.segments[0].data, frame.length);
  return Delivery::kDelivered;
}

[[gnu::always_inline]] inline Delivery RqWriter::complete_packet(
    Delivery outcome, const TakenWqe& taken, const Frame& frame, const Verdict& verdict,
    const HeaderFacts& facts, Tag tag) noexcept {
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
  cqe->timestamp =
      frame.left_ns != 0 ? ringside::Be64::of(rq_.stamps.stamp(frame.left_ns)) : timestamp_;
  // Drivers take a tag other than 0 for a mark, so an unmarked packet must carry 0.
  cqe->sop_qpn = Be32::of(verdict.marked ? verdict.flow_tag & kFlowTagMask : 0);
  name_place(*cqe, rq_, taken, frame.length);
  cqe->signature = 0;
  if (on_its_way) [[unlikely]] {
    writes_->hold(cq_, *cqe, next_op_own(cq_, CqeOpcode::kResponderSend), &rq_, frame.length);
  } else {
    publish(cq_, *cqe, CqeOpcode::kResponderSend);
  }
  return outcome;
}

[[gnu::always_inline]] inline Delivery RqWriter::find_buffer() noexcept {
  if (available_ != 0) return Delivery::kDelivered;
  // Acquire: the receive WQEs, and the buffers' last use, came before the index.
  const std::uint16_t producer = load_index(rq_.record->receive_counter);
  const std::uint32_t posted = static_cast<std::uint16_t>(producer - rq_.consumer);
  if (posted == 0) return Delivery::kNoBuffer;
  if (posted > 1U << rq_.log_depth) [[unlikely]] {
    return refuse_index(rq_, producer);
  }
  available_ = posted;
  if (watched_) [[unlikely]] {
    watch_posts(rq_);
  }
  return Delivery::kDelivered;
}

void RqWriter::prefetch_first() noexcept {
  // Acquire, both: in reset the index is the control path's; WQEs came before their index.
  if (rq_.state.load(std::memory_order_acquire) != QueueState::kReady) return;
  const auto posted =
      static_cast<std::uint16_t>(load_index(rq_.record->receive_counter) - rq_.consumer);
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(posted, kPrefetchWqes); ++i) {
    prefetch_write(&cq_.ring[(cq_.producer + i) & cqe_mask_], sizeof(Cqe));
    const ScatterEntry entry{wqe(rq_.consumer + i)};
    prefetch_write(keys_.translate(entry.lkey(), entry.address(), 1).bytes, kCacheLineBytes);
  }
}

Delivery RqWriter::deliver(const Frame& frame, const Verdict& verdict,
                           const HeaderFacts& facts) noexcept {
  // Acquire: pairs with the control path's release; what it set before the state is seen.
  if (rq_.state.load(std::memory_order_acquire) != QueueState::kReady) [[unlikely]] {
    flush_in_error(rq_);
    return Delivery::kNotReady;
  }
  const Delivery found = find_buffer();
  if (found != Delivery::kDelivered) return found;
  if (rq_.faults != nullptr) [[unlikely]] {
    if (const auto outcome = strike_receive(rq_)) {
      --available_;
      return *outcome;
    }
  }
  const bool strips = !rq_.vlan_strip_disable.load(std::memory_order_relaxed);
  if (strips) [[unlikely]] {
    return strip_and_place(frame, verdict, facts);
  }
  return place(frame, verdict, facts, {});
}

[[gnu::always_inline]] inline Delivery RqWriter::place(const Frame& frame, const Verdict& verdict,
                                                       const HeaderFacts& facts, Tag tag) noexcept {
  if (rq_.strides.shared()) [[unlikely]] {
    return share(frame, verdict, facts, tag);
  }
  --available_;
  const std::uint16_t index = rq_.consumer++;
  if (watched_) [[unlikely]] {
    watch_taken(rq_);
  }
  // What is posted there may be nothing yet: a prefetch of a wrong address does no harm.
  prefetch_write(keys_.guess(ScatterEntry{wqe(index + kPrefetchWqes)}.address()), frame.length);
  prefetch_write(&cq_.ring[(cq_.producer + kPrefetchWqes) & cqe_mask_], sizeof(Cqe));
  return complete_packet(scatter(index, frame), {index}, frame, verdict, facts, tag);
}

Delivery RqWriter::strip_and_place(const Frame& frame, const Verdict& verdict,
                                   const HeaderFacts& facts) noexcept {
  VlanStripper stripper;
  Tag tag;
  const Frame stripped = stripper.strip(frame, tag.stripped, tag.tci);
  return place(stripped, verdict, facts, tag);
}

Delivery RqWriter::share(const Frame& frame, const Verdict& verdict, const HeaderFacts& facts,
                         Tag tag) noexcept {
  Strides& strides = rq_.strides;
  const std::uint32_t needed = strides.needed(frame.length);
  if (needed > strides.left() && needed <= strides.count()) {
    --available_;
    if (!fill_up(rq_)) return Delivery::kCqOverrun;
    const Delivery found = find_buffer();
    if (found != Delivery::kDelivered) return found;
  }
  const TakenWqe taken{rq_.consumer, strides.used, needed};
  const Delivery outcome = scatter_strides(taken, frame);
  if (outcome != Delivery::kDelivered && outcome != Delivery::kOnItsWay) {
    --available_;
    return outcome;
  }
  strides.used += needed;
  if (strides.left() == 0) {
    strides.used = 0;
    ++rq_.consumer;
    --available_;
  }
  if (watched_) watch_taken(rq_);
  return complete_packet(outcome, taken, frame, verdict, facts, tag);
}

Delivery RqWriter::scatter_strides(const TakenWqe& taken, const Frame& frame) noexcept {
  static constexpr std::uint8_t kPadding[ringside::kStrideShift]{};
  const Strides& strides = rq_.strides;
  constexpr std::size_t kEntries = offsetof(ringside::StridingWqe, data);
  ScatterList list(keys_,
                   {wqe(taken.index) + kEntries, (std::size_t{1} << rq_.log_stride) - kEntries},
                   writes_, late_);
  // A frame longer than the WQE costs what is left of it.
  const bool fits = taken.strides <= strides.left() && frame.length <= ringside::kCqeLengthMask &&
                    list.skip(taken.first << strides.log_bytes) &&
                    list.holds(strides.shift + frame.length);
  if (!fits) return refuse_length(take_rest(rq_));
  if (!list.write(kPadding, strides.shift) || !write_frame(list, frame)) {
    return refuse_list(take_rest(rq_), list);
  }
  return written(list);
}

Delivery RqWriter::scatter_list(std::uint16_t index, const Frame& frame) noexcept {
  ScatterList list(keys_, {wqe(index), std::size_t{1} << rq_.log_stride}, writes_, late_);
  if (!list.holds(frame.length)) return refuse_length({index});
  if (!write_frame(list, frame)) return refuse_list({index}, list);
  return written(list);
}

Delivery RqWriter::written(const ScatterList& list) const noexcept {
  if (list.overtaken_in()) report_overtaken(rq_, *list.overtaken_in());
  return list.reaches_gpu() ? Delivery::kOnItsWay : Delivery::kDelivered;
}

Delivery RqWriter::send_to_gpu(std::uint16_t index, const Place& to,
                               const Segment& bytes) noexcept {
  if (writes_ != nullptr && writes_->write(to, bytes.data, bytes.length)) {
    return Delivery::kOnItsWay;
  }
  return refuse_key({index}, Cause::kCopyEngine);
}

Delivery RqWriter::refuse_length(const TakenWqe& taken) noexcept {
  if (complete_fault(rq_, taken, {CqeSyndrome::kLocalLength, Cause::kScatterList})) {
    return Delivery::kLengthError;
  }
  stop(rq_);
  return Delivery::kCqOverrun;
}

Delivery RqWriter::refuse_list(const TakenWqe& taken, const ScatterList& list) noexcept {
  if (list.cause() == Cause::kMemoryKey) report_key(rq_, keys_, list.refused());
  return refuse_key(taken, list.cause());
}

Delivery RqWriter::refuse_key(const TakenWqe& taken, Cause cause) noexcept {
  stop(rq_);
  complete_fault(rq_, taken, {CqeSyndrome::kLocalProtection, cause});
  flush(rq_);
  return Delivery::kProtection;
}

bool lacks_buffer(Rq& rq, const Frame& frame) noexcept {
  const auto posted = [&] { return load_index(rq.record->receive_counter) != rq.consumer; };
  if (!posted()) return true;
  const Strides& strides = rq.strides;
  // Asked of packets that share WQEs only: of others the length does not matter here.
  if (!strides.shared()) return false;
  const bool strips = !rq.vlan_strip_disable.load(std::memory_order_relaxed);
  const std::uint32_t needed =
      strides.needed(strips ? VlanStripper::length_without_tag(frame) : frame.length);
  const bool must_move = strides.used != 0 && needed > strides.left() && needed <= strides.count();
  return must_move && fill_up(rq) && !posted();
}

void fail_next(Rq& rq, Fault fault) noexcept {
  const TakenWqe taken = take_rest(rq);
  // Any other costs the packet and its buffer.
  const bool stops = fault.syndrome == CqeSyndrome::kLocalQpOperation ||
                     fault.syndrome == CqeSyndrome::kLocalProtection ||
                     fault.syndrome == CqeSyndrome::kWorkRequestFlushed;
  if (stops) stop(rq);
  complete_fault(rq, taken, fault);
  if (stops) flush(rq);
}

void flush_in_error(Rq& rq) noexcept {
  // Acquire: in reset the index is the control path's.
  if (rq.state.load(std::memory_order_acquire) == QueueState::kError) flush(rq);
}

}  // namespace softcx
