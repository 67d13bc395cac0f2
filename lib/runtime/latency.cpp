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

/// The span's part up to kRung of a batch, if `served` begins with it.
std::optional<std::span<const TraceEvent>> batch_at(std::span<const TraceEvent> served,
                                                    const LatencySpan& span) {
  const std::size_t count = std::min(span.last, point(TraceKind::kRung)) - span.first + 1;
  if (served.size() < count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (point(served[i].kind) != span.first + i) return std::nullopt;
  }
  return served.first(count);
}

BatchTimes batch_of(std::span<const TraceEvent> events, const TraceClocks& clocks) {
  const TraceEvent& begin = events.front();
  const TraceEvent& end = events.back();
  BatchTimes batch{};
  if (begin.kind == TraceKind::kArrived) {
    batch.first = begin.index;
    batch.received = begin.count;
  } else {
    batch.first = end.index - end.count;
  }
  if (end.kind == TraceKind::kRung) batch.sent = end.count;
  for (const TraceEvent& event : events) {
    const bool is_nics = event.kind == TraceKind::kArrived;
    batch.at_ns[point(event.kind)] =
        is_nics ? clocks.receiving_nic(event.clock) : clocks.gpu(event.clock);
  }
  return batch;
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
                                   std::span<const TraceEvent> tended, const TraceClocks& clocks,
                                   const LatencySpan& span) {
  const std::vector<Completion> completions = completions_of(tended);
  std::vector<BatchTimes> batches;
  for (; !served.empty(); served = served.subspan(1)) {
    const auto events = batch_at(served, span);
    if (!events) continue;
    BatchTimes batch = batch_of(*events, clocks);
    if (span.last > point(TraceKind::kRung)) {
      const std::uint64_t ticket = events->back().index;
      const auto found = std::ranges::lower_bound(completions, ticket, {}, &Completion::ticket);
      // A batch's last send asks for a completion of its own: another one's ticket means that it
      // was written over.
      if (found == completions.end() || found->ticket != ticket) continue;
      batch.at_ns[point(TraceKind::kSent)] = clocks.sending_nic(found->sent_at);
      batch.at_ns[point(TraceKind::kCompleted)] = clocks.gpu(found->seen_at);
    }
    batches.push_back(batch);
  }
  return batches;
}

std::vector<QueueChange> changes_of(std::span<const TraceEvent> served,
                                    std::span<const TraceEvent> tended, const TraceClocks& clocks) {
  std::vector<QueueChange> changes;
  for (const auto& events : {served, tended}) {
    for (const TraceEvent& event : events) {
      const bool recovered = event.kind == TraceKind::kRecovered;
      if (!recovered && event.kind != TraceKind::kStopped) continue;
      changes.push_back(
          {events.data() == tended.data(), recovered, event.count, clocks.gpu(event.clock)});
    }
  }
  return changes;
}

LatencyBreakdown latency_of(std::span<const BatchTimes> batches, const LatencySpan& span) {
  LatencyBreakdown breakdown{.span = span, .batches = batches.size()};
  if (batches.empty()) return breakdown;
  std::vector<std::int64_t> values(batches.size());
  for (std::size_t step = span.first; step < span.last; ++step) {
    std::ranges::transform(batches, values.begin(),
                           [step](const BatchTimes& batch) { return batch.step_ns(step); });
    breakdown.steps[step] = stats_of(values);
  }
  std::ranges::transform(batches, values.begin(),
                         [&](const BatchTimes& batch) { return batch.whole_ns(span); });
  breakdown.whole = stats_of(values);
  return breakdown;
}

}  // namespace ringside
