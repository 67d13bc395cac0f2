// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/port.hpp"

#include <algorithm>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/data/frame_builder.hpp"
#include "lib/softcx/data/frame_limits.hpp"
#include "lib/softcx/data/prefetch.hpp"
#include "lib/softcx/steering/checksum.hpp"

namespace softcx {
namespace {

/// Would a frame for this queue be lost for want of a buffer, or because it is not set up yet?
bool must_wait(const Verdict& verdict, const Frame& frame) noexcept {
  if (verdict.kind != Verdict::Kind::kDeliver) return false;
  Rq& rq = *verdict.rq;
  if (rq.state.load(std::memory_order_acquire) != QueueState::kReady) return true;
  return lacks_buffer(rq, frame);
}

/// How far ahead frames are fetched into the cache, so that many are on their way together.
constexpr std::size_t kPrefetchFrames = 4;

[[gnu::always_inline]] inline void prefetch(const Frame& frame) noexcept {
  for (const Segment& segment : frame.segments) prefetch_read(segment.data, segment.length);
}

}  // namespace

[[gnu::always_inline]] inline Port::Classified Port::classify(const Frame& frame) noexcept {
  const std::uint32_t wanted = std::min(frame.length, kMaxHeaderBytes);
  std::span<const std::uint8_t> headers(frame.segments[0].data, frame.segments[0].length);
  if (headers.size() < wanted) {
    headers =
        std::span<const std::uint8_t>(headers_.data(), copy_front(frame, headers_.data(), wanted));
  }
  Classified classified(*device_.classifier, headers.first(wanted), frame.length);
  if (classified.verdict.kind == Verdict::Kind::kDeliver && classified.facts.l4_length != 0 &&
      l4_checksum_right(frame, classified.facts)) {
    classified.facts.header_flags |= ringside::kCqeL4Ok;
  }
  return classified;
}

void Port::add_up(const Row& row) noexcept {
  count(device_.counters.rx_delivered, row.delivered);
  count(device_.counters.rx_delivered_bytes, row.bytes);
}

[[gnu::always_inline]] inline void Port::deliver_and_count(const Frame& frame,
                                                           const Classified& classified,
                                                           Row& row) noexcept {
  PortCounters& counters = device_.counters;
  const Verdict& verdict = classified.verdict;
  if (verdict.counter_count != 0) count_rules(verdict, frame.length);
  if (verdict.kind == Verdict::Kind::kRuleDrop) return count(counters.rx_rule_drop);
  if (verdict.kind == Verdict::Kind::kNoRule) return count(counters.rx_no_rule);
  LateWrites* const late = device_.completion_follows_data ? nullptr : late_writes_;
  switch (row.writer_of(*verdict.rq, clock_.now_ns(), writes_, late)
              .deliver(frame, verdict, classified.facts)) {
    case Delivery::kDelivered:
      ++row.delivered;
      row.bytes += frame.length;
      return;
    case Delivery::kOnItsWay:
      return;
    case Delivery::kNoBuffer:
      if (verdict.rq->counter != nullptr) count(verdict.rq->counter->out_of_buffer);
      return count(counters.rx_out_of_buffer);
    case Delivery::kNotReady:
      return count(counters.rx_queue_not_ready);
    case Delivery::kLengthError:
      return count(counters.rx_length_error);
    case Delivery::kProtection:
      return count(counters.rx_protection_error);
    case Delivery::kCqOverrun:
      return count(counters.rx_cq_overrun);
    case Delivery::kInjected:
      return count(counters.rx_injected);
  }
}

void Port::receive_batch(std::span<const Frame> frames) {
  for (const Frame& frame : frames.first(std::min(frames.size(), kPrefetchFrames))) {
    prefetch(frame);
  }
  const std::uint32_t mtu = device_.mtu.load(std::memory_order_relaxed);
  std::uint64_t bytes = 0;
  Row row(frames.size() > 2 * RqWriter::kPrefetchWqes);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i + kPrefetchFrames < frames.size()) prefetch(frames[i + kPrefetchFrames]);
    const Frame& frame = frames[i];
    bytes += frame.length;
    const bool ordinary = frame.length - kEthernetHeader <= mtu;
    if (ordinary || !refuse(frame)) deliver_and_count(frame, classify(frame), row);
  }
  add_up(row);
  count(device_.counters.rx_wire_packets, frames.size());
  count(device_.counters.rx_wire_bytes, bytes);
}

std::uint32_t Port::receive_from_wire(std::uint32_t budget) noexcept {
  if (wire_->waits_for_receiver()) return replay(budget);
  std::uint32_t taken = 0;
  for (const Frame* frame = nullptr; taken < budget && (frame = wire_->peek()) != nullptr;) {
    receive(*frame);
    wire_->pop();
    ++taken;
  }
  return taken;
}

std::uint32_t Port::replay(std::uint32_t budget) noexcept {
  if (!replay_begun_ && !device_.classifier->reaches_ready_queue()) return 0;
  replay_begun_ = true;
  std::uint32_t taken = 0;
  for (const Frame* frame = nullptr; taken < budget && (frame = wire_->peek()) != nullptr;) {
    if (!offer(*frame)) break;
    wire_->pop();
    ++taken;
  }
  return taken;
}

bool Port::offer(const Frame& frame) noexcept {
  if (!refuse(frame)) {
    if (!held_) held_ = classify(frame);
    if (must_wait(held_->verdict, frame)) return false;
    Row row(false);
    deliver_and_count(frame, *held_, row);
    add_up(row);
    held_.reset();
  }
  count(device_.counters.rx_wire_packets);
  count(device_.counters.rx_wire_bytes, frame.length);
  return true;
}

bool Port::refuse(const Frame& frame) noexcept {
  if (frame.length < kEthernetHeader) [[unlikely]] {
    count(device_.counters.rx_runt);
    return true;
  }
  if (is_oversize(frame, device_.mtu.load(std::memory_order_relaxed))) [[unlikely]] {
    count(device_.counters.rx_oversize);
    return true;
  }
  return false;
}

}  // namespace softcx
