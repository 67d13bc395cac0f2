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

void note_counter(FlowVerdict& verdict, FlowCounter& counter, std::uint32_t frame_length) noexcept {
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

LookedAt Steering::walk(FlowVerdict& verdict, std::uint32_t frame_length) noexcept {
  LookedAt looked_at;
  const MatcherList* list = &root_;
  // Ends: jumps lead to higher levels only.
  while (const Rule* rule = list->find(packet_.key, looked_at)) {
    if (rule->counter != nullptr) note_counter(verdict, *rule->counter, frame_length);
    if (rule->marked) {
      verdict.marked = true;
      verdict.flow_tag = rule->flow_tag;
    }
    if (rule->fate == Rule::Fate::kTable) {
      list = rule->next;
      continue;
    }
    if (rule->fate == Rule::Fate::kDrop) verdict.kind = Verdict::Kind::kRuleDrop;
    if (rule->fate == Rule::Fate::kTarget) {
      verdict.target = rule->target;
      const RssHash hash = rule->target->hash(packet_);
      verdict.rss_hash = hash.value;
      verdict.rss_hash_type = hash.type;
      looked_at.nothing &= !rule->target->hashes();
    }
    break;
  }
  // What does not fit among the counters has been counted for this packet alone.
  looked_at.plain_words_only &= verdict.counter_count < Verdict::kMaxCounters;
  return looked_at;
}

const FlowVerdict& Steering::find_out(std::span<const std::uint8_t> headers,
                                      std::uint32_t frame_length, bool is_plain,
                                      std::uint64_t generation) noexcept {
  parse_packet(headers, frame_length, packet_);
  walked_ = {};
  const LookedAt looked_at = walk(walked_, frame_length);
  if (!is_plain || !looked_at.plain_words_only) return walked_;
  if (looked_at.nothing) {
    all_ = walked_;
    generation_of_all_ = generation;
  } else {
    flows_.insert(plain_words(headers.data()), generation, walked_);
  }
  return walked_;
}

Verdict Steering::classify(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                           HeaderFacts& facts) {
  // Acquire: pairs with the release in account(); the rules are at least as new as their number.
  const std::uint64_t generation = generation_.load(std::memory_order_acquire);
  const bool is_plain = read_plain_packet(headers, frame_length, facts);
  const FlowVerdict* flow = nullptr;
  if (is_plain) {
    flow = generation == generation_of_all_ ? &all_
                                            : flows_.find(plain_words(headers.data()), generation);
  }
  if (flow == nullptr) [[unlikely]] {
    flow = &find_out(headers, frame_length, is_plain, generation);
    if (!is_plain) facts = packet_.facts;
  }
  Verdict verdict;
  verdict.kind = flow->kind;
  verdict.marked = flow->marked;
  verdict.flow_tag = flow->flow_tag;
  verdict.rss_hash = flow->rss_hash;
  verdict.rss_hash_type = flow->rss_hash_type;
  verdict.counter_count = flow->counter_count;
  // All of them: a copy of a few words whose number is not known takes longer.
  if (flow->counter_count != 0) verdict.counters = flow->counters;
  if (flow->target == nullptr) return verdict;
  verdict.rq = flow->target->select(flow->rss_hash);
  if (verdict.rq == nullptr) return verdict;
  verdict.kind = Verdict::Kind::kDeliver;
  if (facts.l4_length != 0 && headers.size() == frame_length) {
    if (checksum_right(
            checksum_add(facts.l4_pseudo_sum, headers.subspan(facts.l4_offset, facts.l4_length)))) {
      facts.header_flags |= ringside::kCqeL4Ok;
    }
    facts.l4_length = 0;
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
