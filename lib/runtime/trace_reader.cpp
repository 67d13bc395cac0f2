// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/trace_reader.hpp"

#include <algorithm>
#include <atomic>

namespace ringside {
namespace {

/// Each word says by itself what it belongs to. Acquire: the count of laps that is loaded then is
/// not older, so of a record that is many laps ahead it says so.
TraceRecord load(TraceRecord& record) noexcept {
  TraceRecord loaded{};
  for (std::size_t i = 0; i < 4; ++i) {
    loaded.words[i] = std::atomic_ref(record.words[i]).load(std::memory_order_acquire);
  }
  return loaded;
}

/// Laps that the word is ahead of `expected`, where all are fewer than 2^15 apart.
std::int16_t ahead(std::uint64_t word, std::uint16_t expected) noexcept {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(trace::lap_in(word) - expected));
}

}  // namespace

std::optional<TraceEvent> unpack(const TraceRecord& record) noexcept {
  const std::uint64_t(&words)[4] = record.words;
  if (!std::ranges::all_of(words, [&](std::uint64_t word) {
        return trace::lap_in(word) == trace::lap_in(words[0]);
      })) {
    return std::nullopt;
  }
  const auto whole = [&](std::size_t word, unsigned top) {
    return (words[word] & trace::kPayload) | ((words[3] >> top) & 0xffffU) << trace::kPayloadBits;
  };
  const std::uint64_t what = whole(2, 0);
  return TraceEvent{static_cast<TraceKind>(what >> 56),
                    static_cast<std::uint32_t>(what >> 32) & 0xffffffU,
                    static_cast<std::uint32_t>(what), whole(1, 16), whole(0, 32)};
}

void TraceReader::read(std::vector<TraceEvent>& to) {
  const std::uint64_t size = std::uint64_t{1} << ring_.log_size;
  for (std::uint64_t looks = 0; looks < 3 * size; ++looks) {
    const TraceRecord record = load(ring_.records[next_ & (size - 1)]);
    // It may be a few laps off, in either direction; the record then says which lap it is.
    const std::uint64_t laps = std::atomic_ref(*ring_.laps).load(std::memory_order_relaxed);
    if (laps > (next_ >> ring_.log_size) + 1) {
      const std::uint64_t kept = (laps - 1) << ring_.log_size;
      lost_ += kept - next_;
      next_ = kept;
      continue;
    }
    const std::uint16_t lap = trace::lap_of(next_, ring_.log_size);
    std::int16_t newest = ahead(record.words[0], lap);
    for (const std::uint64_t word : record.words) newest = std::max(newest, ahead(word, lap));
    if (newest > 0) {
      // The kernel has come round: what is left begins behind this slot.
      const std::uint64_t gone = (static_cast<std::uint64_t>(newest) - 1) * size + 1;
      lost_ += gone;
      next_ += gone;
      continue;
    }
    const std::optional<TraceEvent> event = unpack(record);
    if (!event || newest < 0) return;  // not written yet, or not all of it
    to.push_back(*event);
    ++next_;
  }
}

}  // namespace ringside
