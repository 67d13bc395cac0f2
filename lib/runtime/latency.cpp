// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/latency.hpp"

#include <algorithm>
#include <optional>

namespace ringside {
namespace {

constexpr std::size_t point(TraceKind kind) {
  return static_cast<std::size_t>(kind);
}
static_assert(point(TraceKind::kArrived) == 0 &&
              point(TraceKind::kCompleted) == kLatencyPoints - 1);

/// When the NIC had sent all up to a ticket, and when that was seen.
struct Completion {
  std::uint64_t ticket, sent_at, seen_at;
};

std::vector<Completion> completions_of(std::span<const TraceEvent> tended) {
  std::vector<Completion> completions;
  for (std::size_t i = 0; i + 1 < tended.size(); ++i) {
    const TraceEvent& sent = tended[i];
    const TraceEvent& seen = tended[i + 1];
    if (sent.kind != TraceKind::kSent || seen.kind != TraceKind::kCompleted) continue;
    if (sent.index == seen.index) completions.push_back({sent.index, sent.clock, seen.clock});
  }
  return completions;
}

/// The events of one batch that `served` begins with, or none.
std::optional<std::span<const TraceEvent>> batch_at(std::span<const TraceEvent> served) {
  constexpr std::size_t kEvents = point(TraceKind::kRung) + 1;
  if (served.size() < kEvents) return std::nullopt;
  for (std::size_t i = 0; i < kEvents; ++i) {
    if (point(served[i].kind) != i) return std::nullopt;
  }
  return served.first(kEvents);
}

LatencyStats stats_of(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  const auto at = [&](std::size_t percent) { return values[(values.size() - 1) * percent / 100]; };
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return {values.front(), at(50),        at(90),
          at(99),         values.back(), sum / static_cast<double>(values.size())};
}

}  // namespace

std::vector<BatchTimes> batches_of(std::span<const TraceEvent> served,
                                   std::span<const TraceEvent> tended, const TraceClocks& clocks) {
  const std::vector<Completion> completions = completions_of(tended);
  std::vector<BatchTimes> batches;
  for (; !served.empty(); served = served.subspan(1)) {
    const auto events = batch_at(served);
    if (!events) continue;
    const TraceEvent& arrived = events->front();
    const TraceEvent& rung = events->back();
    const auto found = std::ranges::lower_bound(completions, rung.index, {}, &Completion::ticket);
    // A batch's last send asks for a completion of its own: another one's ticket means that it was
    // written over.
    if (found == completions.end() || found->ticket != rung.index) continue;
    BatchTimes batch{arrived.index, arrived.count, rung.count, {}};
    batch.at_ns[0] = clocks.receiving_nic(arrived.clock);
    for (std::size_t i = point(TraceKind::kSeen); i <= point(TraceKind::kRung); ++i) {
      batch.at_ns[i] = clocks.gpu((*events)[i].clock);
    }
    batch.at_ns[point(TraceKind::kSent)] = clocks.sending_nic(found->sent_at);
    batch.at_ns[point(TraceKind::kCompleted)] = clocks.gpu(found->seen_at);
    batches.push_back(batch);
  }
  return batches;
}

LatencyBreakdown latency_of(std::span<const BatchTimes> batches) {
  LatencyBreakdown breakdown;
  breakdown.batches = batches.size();
  if (batches.empty()) return breakdown;
  std::vector<std::int64_t> values(batches.size());
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    std::ranges::transform(batches, values.begin(),
                           [step](const BatchTimes& batch) { return batch.step_ns(step); });
    breakdown.steps[step] = stats_of(values);
  }
  std::ranges::transform(batches, values.begin(), &BatchTimes::whole_ns);
  breakdown.whole = stats_of(values);
  return breakdown;
}

}  // namespace ringside
