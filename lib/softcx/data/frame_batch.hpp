// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames that a send queue sends together, and the completions that it owes once they are sent.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/softcx/data/frame_builder.hpp"
#include "lib/softcx/data/line.hpp"
#include "lib/softcx/nic/frame.hpp"

namespace softcx {

/// The Ethernet segment's orders that change a frame.
struct FrameEdits {
  bool insert_vlan = false;
  std::uint8_t checksums = 0;  ///< ringside::kCs* bits
  std::uint16_t vlan_tci = 0;

  bool any() const noexcept { return insert_vlan || checksums != 0; }
};

/// A WQE that asks for a completion.
struct OwedCompletion {
  std::uint16_t index;
  std::uint8_t opcode;
};

class FrameBatch {
 public:
  /// Enough to hide the latency of memory behind prefetches; few enough that all that a batch
  /// touches stays in a CPU's first cache, and that the first frame need not wait long.
  static constexpr std::size_t kFrames = 32;
  static_assert(kFrames <= 32, "edited_ has a bit a frame");

  /// No room for one more frame of the most segments, or for one more completion: send it first.
  bool full() const noexcept {
    return count_ == kFrames || owed_count_ == kFrames ||
           segment_count_ > kSegments - FrameBuilder::kMaxRanges;
  }
  /// How many frames of one range can be added, each with a completion.
  std::uint32_t room() const noexcept {
    return full() ? 0 : static_cast<std::uint32_t>(kFrames - std::max(count_, owed_count_));
  }
  bool empty() const noexcept { return count_ == 0 && owed_count_ == 0; }
  void clear() noexcept { count_ = segment_count_ = open_ = owed_count_ = edited_ = 0; }

  /// A frame of one range, `at` places behind the last one; there is room(). It becomes one of the
  /// batch by grow(), so that a loop need not keep the counts.
  void put_frame(std::uint32_t at, const std::uint8_t* data, std::uint32_t length) noexcept {
    Segment* const segment = &segments_[segment_count_ + at];
    *segment = {data, length};
    frames_[count_ + at] = {{segment, 1}, length};
  }
  void grow(std::uint32_t frames) noexcept {
    count_ += frames;
    open_ = segment_count_ += frames;
  }
  /// The next range of the frame that is being put together; it starts while not full().
  void add_range(const std::uint8_t* data, std::uint32_t length) noexcept {
    segments_[segment_count_++] = {data, length};
  }
  bool frame_has_ranges() const noexcept { return segment_count_ != open_; }
  /// The frame is complete; `edits` are still to be made. A length beyond 32 bits is clamped: it is
  /// oversize anyway.
  void close_frame(const FrameEdits& edits) noexcept;
  /// Forgets the ranges of a frame that will not be sent.
  void drop_frame() noexcept { segment_count_ = open_; }
  /// Comes after all frames that were added before, and ahead of those that follow.
  void owe(OwedCompletion completion) noexcept { owed_[owed_count_++] = completion; }

  bool owes() const noexcept { return owed_count_ != 0; }
  /// Gives each frame the time at which it leaves; returns the last one's, or `ready_ns`.
  std::uint64_t stamp(Line& line, std::uint64_t ready_ns) noexcept {
    std::uint64_t last = ready_ns;
    for (std::size_t i = 0; i < count_; ++i) {
      const FrameEdits* const order = edits(i);
      const std::uint32_t tag = order != nullptr && order->insert_vlan ? 4 : 0;
      last = frames_[i].left_ns = line.take(ready_ns, frames_[i].length + tag);
    }
    return last;
  }

  std::span<const Frame> frames() const noexcept { return {frames_.data(), count_}; }
  std::span<const OwedCompletion> owed() const noexcept { return {owed_.data(), owed_count_}; }
  bool any_edits() const noexcept { return edited_ != 0; }
  /// The edits that a frame waits for, or nullptr.
  const FrameEdits* edits(std::size_t at) const noexcept {
    return (edited_ >> at & 1) != 0 ? &edits_[at] : nullptr;
  }

 private:
  static constexpr std::size_t kSegments = kFrames + 2 * FrameBuilder::kMaxRanges;

  std::size_t count_ = 0, segment_count_ = 0, owed_count_ = 0;
  std::size_t open_ = 0;  ///< first segment of the frame that is being put together
  std::uint32_t edited_ = 0;
  std::array<Frame, kFrames> frames_;
  std::array<Segment, kSegments> segments_;
  std::array<OwedCompletion, kFrames> owed_;
  std::array<FrameEdits, kFrames> edits_;
};

inline void FrameBatch::close_frame(const FrameEdits& edits) noexcept {
  const std::span<const Segment> ranges(&segments_[open_], segment_count_ - open_);
  std::uint64_t length = 0;
  for (const Segment& range : ranges) length += range.length;
  frames_[count_] = {ranges, clamp_length(length)};
  if (edits.any()) {
    edits_[count_] = edits;
    edited_ |= 1U << count_;
  }
  ++count_;
  open_ = segment_count_;
}

}  // namespace softcx
