// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/doorbell_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/data/watch_posts.hpp"
#include "lib/softcx/nic/nic_clock.hpp"

namespace softcx {
namespace {

/// How long the stores of a BlueFlame write may be apart: they have no order.
constexpr std::uint64_t kSettleNs = 100'000;
/// First value of Sq::consumer once the queue has been rung: index 0, one lap on.
constexpr std::uint64_t kFirstLap = 1U << 16;

/// A doorbell word: the first half of the last WQE's control segment; with ds 0 and opcode 0 it
/// holds the producer index instead, as NVIDIA's device libraries write it.
struct Ring {
  std::uint32_t queue;
  std::uint16_t index;     ///< of the WQE, where the word is its first half
  std::uint32_t segments;  ///< of that; 0: the word is not its first half
  std::uint16_t end;       ///< producer index that the ring announces

  explicit Ring(std::uint64_t word) noexcept {
    std::array<std::uint8_t, sizeof(word)> bytes{};
    std::memcpy(bytes.data(), &word, sizeof(word));
    const std::uint32_t first = read_be32(bytes.data());
    const std::uint32_t second = read_be32(bytes.data() + 4);
    segments = second & ringside::kMaxSegmentsPerWqe;
    queue = second >> 8;
    index = static_cast<std::uint16_t>(first >> 8);
    end = static_cast<std::uint16_t>((first >> 8) + (segments + 3) / 4);
  }
};

std::uint16_t distance(std::uint16_t from, std::uint16_t to) {
  return static_cast<std::uint16_t>(to - from);
}

/// Does the ring hold the WQE that came with a ring, as far as that says it is long?
bool holds(const Sq& sq, const Ring& ring, std::span<const std::uint64_t> tail) noexcept {
  const std::size_t bytes =
      std::min<std::size_t>(ring.segments * ringside::kWqeSegment, ringside::kWqeBasicBlock);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return std::memcmp(tail.data(), wqe_block(sq, ring.index) + kWord, bytes - kWord) == 0;
}

void refuse_record(const Device& device, ScheduledSq& queue, std::uint16_t before,
                   std::uint16_t record) {
  Sq& sq = *queue.sq;
  const auto consumer = static_cast<std::uint16_t>(sq.consumer);
  // Which of the two an impossible index was is a guess: the shorter way round.
  const bool backwards = distance(record, before) < distance(before, record);
  report_broken(backwards ? RuleId::kSendRecordBackwards : RuleId::kSendRecordBeyondRing,
                object_name(device, "send queue", sq.sqn),
                fmt::format("the doorbell record went {} (from {} to {}, {} consumed, {} blocks)",
                            backwards ? "backwards" : "beyond the ring's depth", before, record,
                            consumer, 1U << sq.log_depth));
  sq.producer = consumer;  // what the record says cannot be flushed either
  queue.transmitter->fail(sq, consumer, 0,
                          {ringside::CqeSyndrome::kLocalQpOperation, Cause::kProducerIndex});
}

}  // namespace

DoorbellPage::DoorbellPage(const Device& device, const Uar& uar,
                           std::span<ScheduledSq> queues) noexcept
    : device_(device), uar_(uar), queues_(queues) {
  std::uint8_t* first = uar.page + ringside::kUarDoorbellOffset;
  words_ = {reinterpret_cast<std::uint64_t*>(first),
            reinterpret_cast<std::uint64_t*>(first + ringside::kBlueFlameBufferBytes)};
  for (ScheduledSq& queue : queues_) {
    Sq& sq = *queue.sq;
    if (sq.state.load(std::memory_order_acquire) != QueueState::kReset) continue;
    sq.producer = load_index(sq.record->send_counter);  // what is posted in reset is not work
  }
  take(Origin::kSetUp);
  if (queues_.size() == 1) audit_.emplace(device, *queues_[0].sq);
}

bool DoorbellPage::poll() noexcept {
  return take(Origin::kPoll);
}

bool DoorbellPage::take(Origin origin) noexcept {
  bool rung = false;
  for (std::size_t buffer = 0; buffer < words_.size(); ++buffer) {
    const std::atomic_ref<std::uint64_t> shared(*words_[buffer]);
    if (shared.load(std::memory_order_relaxed) == 0) continue;
    // The driver has written records and WQEs on another CPU: they come while the word is taken.
    for (const ScheduledSq& queue : queues_) {
      __builtin_prefetch(queue.sq->record);
      __builtin_prefetch(wqe_block(*queue.sq, queue.sq->producer));
    }
    // Acquire: pairs with the driver's barrier between record and ring (ring_doorbell), so that
    // look_at() reads the record that this ring announces, or a later one. Exchange: a ring that
    // comes meanwhile is taken now or stays for the next poll, never lost.
    const std::uint64_t word = shared.exchange(0, std::memory_order_acquire);
    accept(word, buffer, origin);
    check_blue_flame(buffer, word);
    rung = true;
  }
  return rung;
}

DoorbellPage::Tail DoorbellPage::read_tail(std::size_t buffer) const noexcept {
  Tail tail;
  for (std::size_t i = 0; i < tail.size(); ++i) tail[i] = load_word(words_[buffer][i + 1]);
  return tail;
}

void DoorbellPage::check_blue_flame(std::size_t buffer, std::uint64_t word) noexcept {
  Tail tail = read_tail(buffer);
  // Nothing but a doorbell, or a WQE like the last one.
  if (tail == tails_[buffer]) return;
  const Ring ring(word);
  for (const ScheduledSq& queue : queues_) {
    const Sq& sq = *queue.sq;
    const bool ready = sq.state.load(std::memory_order_acquire) == QueueState::kReady;
    const auto consumer = static_cast<std::uint16_t>(sq.consumer);
    // What was executed by another ring may be written anew.
    const bool waits = distance(consumer, ring.index) < distance(consumer, sq.producer);
    if (sq.sqn != ring.queue || !ready || !waits || ring.segments == 0) continue;
    NicClock clock;
    const std::uint64_t begin = clock.now_ns();
    bool same = holds(sq, ring, tail);
    for (bool next = false; !same && !next && clock.now_ns() - begin < kSettleNs; clock.tick()) {
      next = load_word(*words_[buffer]) != 0;  // another write has begun
      tail = read_tail(buffer);
      same = next || holds(sq, ring, tail);
    }
    if (!same) {
      report_broken(
          RuleId::kRingBlueFlame, object_name(device_, "send queue", sq.sqn),
          fmt::format("BlueFlame brought another WQE than the ring holds (index {})", ring.index));
    }
  }
  tails_[buffer] = tail;
}

void DoorbellPage::accept(std::uint64_t word, std::size_t buffer, Origin origin) noexcept {
  const Ring ring(word);
  bool found = false;
  for (ScheduledSq& queue : queues_) {
    const bool named = queue.sq->sqn == ring.queue;
    look_at(queue, named);
    if (named && origin == Origin::kPoll) check_ring(*queue.sq, ring.end, buffer);
    found |= named;
  }
  if (!found && origin == Origin::kPoll) [[unlikely]] {
    report_broken(
        RuleId::kRingUnknownQueue, fmt::format("{}: UAR page {}", device_.ibdev, uar_.page_id),
        fmt::format("rung for queue {:#x}, which is not a send queue of this page", ring.queue));
  }
}

void DoorbellPage::look_at(ScheduledSq& queue, bool named) noexcept {
  Sq& sq = *queue.sq;
  const std::uint16_t record = load_index(sq.record->send_counter);
  const std::uint16_t before = sq.producer;
  const QueueState state = sq.state.load(std::memory_order_acquire);
  if (state == QueueState::kReset) {
    sq.producer = record;
    return;
  }
  const bool first_ring = sq.consumer == 0;
  if (first_ring) {
    // Drivers restart a queue and leave its old record there: only its own ring, or a record that
    // moves, says that something is posted.
    if (record == before && !named) return;
    sq.consumer = kFirstLap;
    sq.backlog = 0;
    sq.resume_ns = 0;
    sq.timed = false;
  }
  const auto consumer = static_cast<std::uint16_t>(sq.consumer);
  const bool beyond = distance(consumer, record) > 1U << sq.log_depth;
  if (state == QueueState::kError) {  // a driver that recovers sets the record back
    sq.producer = beyond ? consumer : record;
    return;
  }
  // Both lie within the depth, which may be half of the indexes: only their distances from what was
  // consumed can be compared.
  const bool backwards = !first_ring && distance(consumer, record) < distance(consumer, before);
  if (beyond || backwards) [[unlikely]] {
    refuse_record(device_, queue, first_ring ? consumer : before, record);
    return;
  }
  sq.producer = record;
  if (device_.posted != nullptr) watch_posts(sq);
}

void DoorbellPage::check_ring(const Sq& sq, std::uint16_t end, std::size_t buffer) noexcept {
  if (sq.state.load(std::memory_order_acquire) != QueueState::kReady) return;
  if (distance(end, sq.producer) > 1U << sq.log_depth) {
    report_broken(
        RuleId::kRingWithoutRecord, object_name(device_, "send queue", sq.sqn),
        fmt::format("ring without record: rung up to index {} while the doorbell record says {}",
                    end, sq.producer));
  }
  if (audit_) audit_->rung(end, sq.producer, buffer);
}

}  // namespace softcx
