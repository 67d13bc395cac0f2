// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What sends take and return.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside {

/// A packet to send: where the NIC finds it, and its bytes.
struct TxPacket {
  std::uint64_t iova;
  std::uint32_t length;  ///< without FCS, not 0
};

enum class TxStatus : std::uint32_t {
  kOk,       ///< posted; or, of a poll, what was awaited has come
  kFull,     ///< not enough slots came free in time; nothing was reserved or written
  kPending,  ///< what was awaited has not come in time
  kStopped,  ///< by an error CQE: nothing after what is completed is ever sent
};

/// How many WQEs have to be sent, counted since the queue was made, for what the ticket is of to be
/// sent. 64 bits: never wraps.
using TxTicket = std::uint64_t;

/// Which packet of a batch asks for a CQE. Only CQEs say that packets are sent, and each of all
/// before it: those behind the last that asks become known by a later batch's.
///
/// Half a ring never goes by unasked: where a batch ends in another half than it begins in, its
/// last packet asks in any case. So the ring always comes free again; but a batch longer than half
/// the ring can find no room for as long as those before it asked for nothing.
class TxNotify {
 public:
  RS_DEVICE static constexpr TxNotify last() { return TxNotify(kLast); }
  RS_DEVICE static constexpr TxNotify none() { return TxNotify(kNone); }
  /// Packet `i` of the batch, counted from 0.
  RS_DEVICE static constexpr TxNotify packet(std::uint32_t i) { return TxNotify(i); }

  static constexpr std::uint32_t kNone = 0xffffffffU;
  /// Of a batch of `count`, or kNone.
  RS_DEVICE constexpr std::uint32_t packet_of(std::uint32_t count) const {
    return which_ == kLast ? count - 1 : which_;
  }

 private:
  static constexpr std::uint32_t kLast = 0xfffffffeU;
  RS_DEVICE explicit constexpr TxNotify(std::uint32_t which) : which_(which) {}
  std::uint32_t which_;
};

/// Slots of a send queue that a scope has reserved: for packets 0 to count - 1. The same in all of
/// its threads.
class TxBatch {
 public:
  /// No slots, and why.
  RS_DEVICE explicit TxBatch(TxStatus why_not) : status(why_not) {}
  RS_DEVICE TxBatch(std::uint64_t begin, std::uint32_t packets, TxNotify notify,
                    std::uint32_t log_depth)
      : status(TxStatus::kOk),
        count(packets),
        first(begin),
        chosen_(notify.packet_of(packets)),
        forced_(chosen_ == packets - 1 || half(begin, log_depth) == half(begin + packets, log_depth)
                    ? TxNotify::kNone
                    : packets - 1) {}

  TxStatus status;
  std::uint32_t count = 0;
  std::uint64_t first = 0;  ///< index of packet 0's WQE

  RS_DEVICE std::uint64_t end() const { return first + count; }
  /// To await all packets, and packet `i`.
  RS_DEVICE TxTicket ticket() const { return end(); }
  RS_DEVICE TxTicket ticket(std::uint32_t i) const { return first + i + 1; }

  RS_DEVICE bool asks(std::uint32_t i) const { return i == chosen_ || i == forced_; }
  /// Ticket of the last packet that asks, or `before`.
  RS_DEVICE TxTicket asked(TxTicket before) const {
    const std::uint32_t last = forced_ == TxNotify::kNone ? chosen_ : forced_;
    return last == TxNotify::kNone ? before : ticket(last);
  }

 private:
  RS_DEVICE static std::uint64_t half(std::uint64_t index, std::uint32_t log_depth) {
    return index >> (log_depth == 0 ? 0 : log_depth - 1);
  }

  std::uint32_t chosen_ = TxNotify::kNone;
  std::uint32_t forced_ = TxNotify::kNone;
};

}  // namespace ringside
