// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What steering says of a received frame, and the interface that the data path calls.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace softcx {

struct FlowCounter;
struct Rq;

struct Verdict {
  enum class Kind : std::uint8_t {
    kDeliver,   ///< to `rq`, whatever its state
    kRuleDrop,  ///< a rule with a drop action
    kNoRule,    ///< no rule matched, or a rule without a destination
  };
  Kind kind = Kind::kNoRule;
  Rq* rq = nullptr;
  bool marked = false;
  std::uint32_t flow_tag = 0;  ///< 24 bits, where marked
  std::uint32_t rss_hash = 0;
  std::uint8_t rss_hash_type = 0;  ///< CQE rx_hash_type; 0: not hashed
  /// Counters of the rules on the way, the first `counter_count` of them. They are counted when the
  /// frame meets its fate (count_rules), as a frame that waits may be classified again meanwhile.
  static constexpr std::uint8_t kMaxCounters = 8;
  std::uint8_t counter_count = 0;
  std::array<FlowCounter*, kMaxCounters> counters;  // not cleared for each packet
};

/// The frame has been delivered or dropped as `verdict` says: counts it. Once a frame.
void count_rules(const Verdict& verdict, std::uint32_t frame_length) noexcept;

/// Header facts that go into the CQE, found by the same parser that steering uses.
struct HeaderFacts {
  std::uint8_t header_flags = 0;  ///< kCqeL2Ok, kCqeL3Ok, kCqeL4Ok
  std::uint8_t header_types = 0;  ///< kCqeL3Ipv4, kCqeL4Udp, ...
  /// A TCP or UDP checksum that the headers alone cannot verify: the bytes it covers, or length 0.
  /// The data path sets kCqeL4Ok itself where l4_checksum_right() (checksum.hpp) says so.
  std::uint16_t l4_offset = 0;
  std::uint16_t l4_length = 0;
  std::uint16_t l4_pseudo_sum = 0;
};

/// Frames are parsed up to this many bytes; the data path hands at least this much contiguously
/// (or the whole frame where it is shorter).
inline constexpr std::uint32_t kMaxHeaderBytes = 256;

/// The receive side of one port's steering. Called by the engine thread only, without locks.
class Classifier {
 public:
  virtual ~Classifier() = default;
  /// `headers`: the first bytes of the frame; `frame_length`: of the whole frame.
  /// `facts` is complete where the verdict is to deliver. Counts nothing, save what does not fit
  /// into Verdict::counters: at once.
  virtual Verdict classify(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                           HeaderFacts& facts) = 0;
  /// Is there at least one rule that leads to a receive queue that is ready?
  virtual bool reaches_ready_queue() const = 0;
};

}  // namespace softcx
