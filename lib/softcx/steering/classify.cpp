// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The engine's side of steering.
#include <algorithm>

#include "lib/base/clock.hpp"
#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/steering/checksum.hpp"
#include "lib/softcx/steering/steering.hpp"

namespace softcx {
namespace {

void count_frame(FlowCounter& counter, std::uint32_t frame_length) noexcept {
  count(counter.packets);
  count(counter.bytes, frame_length);
}

void note_counter(Verdict& verdict, FlowCounter& counter, std::uint32_t frame_length) noexcept {
  if (verdict.counter_count == Verdict::kMaxCounters) [[unlikely]] {
    return count_frame(counter, frame_length);
  }
  verdict.counters[verdict.counter_count++] = &counter;
}

}  // namespace

void count_rules(const Verdict& verdict, std::uint32_t frame_length) noexcept {
  for (std::uint8_t i = 0; i < verdict.counter_count; ++i) {
    count_frame(*verdict.counters[i], frame_length);
  }
}

Verdict Steering::classify(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                           HeaderFacts& facts) {
  parse_packet(headers, frame_length, packet_);
  facts = packet_.facts;
  Verdict verdict;
  const MatcherList* list = &root_;
  // Ends: jumps lead to higher levels only.
  while (const Rule* rule = list->find(packet_.key)) {
    if (rule->counter != nullptr) note_counter(verdict, *rule->counter, frame_length);
    if (rule->marked) {
      verdict.marked = true;
      verdict.flow_tag = rule->flow_tag;
    }
    switch (rule->fate) {
      case Rule::Fate::kMiss:
        return verdict;
      case Rule::Fate::kDrop:
        verdict.kind = Verdict::Kind::kRuleDrop;
        return verdict;
      case Rule::Fate::kTable:
        list = rule->next;
        continue;
      case Rule::Fate::kTarget:
        break;
    }
    const Target& target = *rule->target;
    const RssHash hash = target.hash(packet_);
    verdict.rss_hash = hash.value;
    verdict.rss_hash_type = hash.type;
    verdict.rq = target.select(hash.value);
    if (verdict.rq == nullptr) return verdict;
    verdict.kind = Verdict::Kind::kDeliver;
    if (facts.l4_length != 0 && headers.size() == frame_length) {
      const Segment whole{headers.data(), frame_length};
      if (l4_checksum_right({{&whole, 1}, frame_length}, facts)) {
        facts.header_flags |= ringside::kCqeL4Ok;
      }
      facts.l4_length = 0;
    }
    return verdict;
  }
  return verdict;
}

bool Steering::reaches_ready_queue() const {
  const std::uint64_t changed_ns = changed_ns_.load(std::memory_order_relaxed);
  if (ringside::monotonic_ns() < changed_ns + kSettleNs) return false;
  const Targets* targets = reachable_.load(std::memory_order_acquire);
  return targets != nullptr && std::any_of(targets->begin(), targets->end(),
                                           [](const Target* target) { return target->ready(); });
}

}  // namespace softcx
