// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// An event trace: what a kernel did when, in rings of fixed-size records that the CPU reads at any
// time. A kernel never waits for the reader: a full ring is written over from its oldest record on,
// and the reader knows how many it has lost.
//
// A ring has one writer at a time. Nothing orders its stores, so none of them needs a fence, which
// on a GPU would cost more than the event: a record is four words, each stored whole, and each says
// which lap of the ring it is of. A reader that finds the same lap in all four has the record as it
// was written, whatever the order in which the words came; any other sight is "not yet" or "no
// more".
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/mlx5/format/clock_map.hpp"

namespace ringside {

enum class TraceKind : std::uint8_t {
  kArrived,    ///< as the NIC stamped it: the receive completion of a batch's first packet
  kSeen,       ///< the batch's completions were seen
  kProcessed,  ///< the program has run on the batch
  kWritten,    ///< its WQEs are in the ring
  kRung,       ///< and the NIC told of them
  kSent,       ///< as the NIC stamped it: a send completion
  kCompleted,  ///< it was seen
  kStopped,    ///< an error CQE was seen; `count` is its syndrome
  kRecovered,  ///< the queue goes on, without `count` packets that were posted and not sent
  kKinds,
};

struct TraceEvent {
  TraceKind kind;
  std::uint32_t queue;  ///< rqn or sqn: 24 bits
  std::uint32_t count;  ///< packets that it is about
  /// Of a receive queue: the first packet's, counted from 0. Of a send queue: the ticket that
  /// awaits all that it is about (TxTicket). Both go on over a recovery, which the queue's do not.
  std::uint64_t index;
  std::uint64_t clock;  ///< Block::now_ns(), or a NIC's time stamp (nic_time.hpp)
};

struct alignas(32) TraceRecord {
  std::uint64_t words[4];
};

/// In memory that kernel and CPU reach, zero when the first kernel starts.
struct TraceRing {
  TraceRecord* records;
  std::uint32_t log_size;
  std::uint64_t* laps;  ///< that lie behind the writer: records have 16 bits of it
};

namespace trace {

inline constexpr std::uint32_t kPayloadBits = 48;
inline constexpr std::uint64_t kPayload = (std::uint64_t{1} << kPayloadBits) - 1;

/// Of event number `sequence` of a ring: 16 bits, and not 0 in the first laps, so that a slot that
/// was never written is told from one that was.
RS_HD constexpr std::uint16_t lap_of(std::uint64_t sequence, std::uint32_t log_size) {
  return static_cast<std::uint16_t>((sequence >> log_size) + 1);
}

RS_HD constexpr std::uint16_t lap_in(std::uint64_t word) {
  return static_cast<std::uint16_t>(word >> kPayloadBits);
}

RS_HD constexpr TraceRecord pack(const TraceEvent& event, std::uint16_t lap) {
  const std::uint64_t what = std::uint64_t{static_cast<std::uint8_t>(event.kind)} << 56 |
                             std::uint64_t{event.queue & 0xffffffU} << 32 | event.count;
  const std::uint64_t tops = (event.clock >> kPayloadBits) << 32 |
                             (event.index >> kPayloadBits) << 16 | what >> kPayloadBits;
  const std::uint64_t tag = std::uint64_t{lap} << kPayloadBits;
  return {{tag | (event.clock & kPayload), tag | (event.index & kPayload), tag | (what & kPayload),
           tag | tops}};
}

}  // namespace trace

/// One thread at a time; a barrier lies between two that take turns.
class TraceWriter {
 public:
  /// `next`: how many events the ring was given so far, in memory that all who write share.
  RS_DEVICE TraceWriter(const TraceRing& ring, std::uint64_t& next) : ring_(ring), next_(next) {}

  /// Relaxed: see above. So is the count of laps, which tells those apart that are 2^16 away from
  /// each other: it need not be right to a lap.
  RS_DEVICE void note(const TraceEvent& event) const {
    const std::uint64_t sequence = next_++;
    const std::uint64_t mask = (std::uint64_t{1} << ring_.log_size) - 1;
    if ((sequence & mask) == 0) store_relaxed_system(ring_.laps, sequence >> ring_.log_size);
    const TraceRecord packed = trace::pack(event, trace::lap_of(sequence, ring_.log_size));
    TraceRecord& record = ring_.records[sequence & mask];
    for (std::uint32_t i = 0; i < 4; ++i) store_relaxed_system(&record.words[i], packed.words[i]);
  }

 private:
  const TraceRing& ring_;
  std::uint64_t& next_;
};

}  // namespace ringside
