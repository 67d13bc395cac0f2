// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// generator: sends numbered UDP datagrams of several sizes and several flows, checksums right, at a
// rate if there is one. See kernels/generator_args.hpp.
#pragma once

#include "kernels/generator_args.hpp"
#include "lib/device/block.hpp"
#include "lib/device/program.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

/// The block's rank 0 keeps the time: it is rank 0 of the group that makes frames, and the one that
/// waits. All threads of that group know how many are made.
class GeneratorState {
 public:
  template <class B>
  RS_DEVICE GeneratorState(B& block, const ProgramArgs& program)
      : args_(*static_cast<const GeneratorArgs*>(program.own)), due_(block.now_ns() << kTicks) {}

  /// What no frame changes: the bytes behind the number.
  RS_DEVICE void prepare(std::uint8_t* frame) const {
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < args_.size_count; ++i) {
      if (args_.sizes[i].length > longest) longest = args_.sizes[i].length;
    }
    for (std::uint32_t i = kFrameNumberAt + kFrameNumberBytes; i < longest; ++i) {
      frame[i] = static_cast<std::uint8_t>(i - kFrameNumberAt);
    }
  }

  /// How many frames of at most `most` are to be made now. Collective.
  template <Block G>
  RS_DEVICE std::uint32_t begin_frames(G& group, std::uint32_t most) {
    made_ += batch_;
    batch_ = group.broadcast(group.rank() == 0 ? take(most, group.now_ns()) : 0);
    return batch_;
  }

  /// Of the batch's frame number `i`.
  RS_DEVICE std::uint32_t length(std::uint32_t i) const {
    return args_.sizes[number_of(made_ + i) % args_.size_count].length;
  }

  /// Makes the batch's frame number `i`. Returns its length.
  RS_DEVICE std::uint32_t make(std::uint32_t i, std::uint8_t* frame) const {
    const std::uint64_t number = number_of(made_ + i);
    const GeneratorSize& size = args_.sizes[number % args_.size_count];
    const std::uint32_t source = value(GeneratorField::kSourceAddress, number);
    const std::uint32_t destination = value(GeneratorField::kDestinationAddress, number);
    const std::uint32_t from = value(GeneratorField::kSourcePort, number);
    const std::uint32_t to = value(GeneratorField::kDestinationPort, number);
    const std::uint32_t addresses =
        (source >> 16) + (source & 0xffffU) + (destination >> 16) + (destination & 0xffffU);
    for (std::uint32_t at = 0; at < kUdpFrameHeaders; ++at) frame[at] = size.headers[at];
    std::uint32_t udp_sum = size.udp_sum + addresses + from + to;
    FrameWriter number_at(frame + kFrameNumberAt);
    for (int shift = 48; shift >= 0; shift -= 16) {
      const auto word = static_cast<std::uint32_t>(number >> shift & 0xffffU);
      number_at.u16(word);
      udp_sum += word;
    }
    FrameWriter(frame + kIpChecksumAt).u16(checksum_finish(size.ip_sum + addresses));
    FrameWriter flow(frame + kFlowAt);
    flow.u32(source);
    flow.u32(destination);
    flow.u16(from);
    flow.u16(to);
    const std::uint32_t sum = checksum_finish(udp_sum);
    FrameWriter(frame + kUdpChecksumAt).u16(sum == 0 ? 0xffffU : sum);  // 0 says: there is none
    return size.length;
  }

  RS_DEVICE const TxOffload& offload() const { return args_.offload; }

  /// In rank 0: is a frame to be made by now?
  RS_DEVICE bool is_due(std::uint64_t now_ns) const {
    return made_ + batch_ < args_.count &&
           static_cast<std::int64_t>((now_ns << kTicks) - due_) >= 0;
  }

  static constexpr std::uint32_t kIpChecksumAt = 14 + 10;
  static constexpr std::uint32_t kFlowAt = 14 + 12;  ///< addresses, then ports
  static constexpr std::uint32_t kFlowBytes = 12;
  static constexpr std::uint32_t kUdpChecksumAt = 14 + 20 + 6;

 private:
  static constexpr std::uint32_t kTicks = kPaceTickBits;
  /// A block that got no time, or no room, makes up for that much of it.
  static constexpr std::int64_t kMakesUpFor = std::int64_t{20'000'000} << kTicks;

  RS_DEVICE std::uint64_t number_of(std::uint64_t made) const {
    return args_.first + made * args_.step;
  }

  /// Of a field in frame `number`.
  RS_DEVICE std::uint32_t value(GeneratorField field, std::uint64_t number) const {
    const GeneratorRange& range = args_.ranges[static_cast<std::uint32_t>(field)];
    if (range.count == 1) return range.first;
    if (!args_.random) return range.first + static_cast<std::uint32_t>(number % range.count);
    // A fraction of 2^32, times the count.
    const std::uint64_t drawn =
        mix(args_.seed + (number * kGeneratorFields + static_cast<std::uint32_t>(field)) * kGolden);
    return range.first + static_cast<std::uint32_t>((drawn >> 32) * range.count >> 32);
  }
  /// SplitMix64's steps (Steele, Lea and Flood, 2014), by which neighbours become unlike.
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  RS_DEVICE static std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }

  RS_DEVICE std::uint32_t take(std::uint32_t most, std::uint64_t now_ns) {
    const std::uint64_t left = args_.count - made_;
    if (left < most) most = static_cast<std::uint32_t>(left);
    if (args_.sizes[0].pace == 0) return most;
    const std::uint64_t now = now_ns << kTicks;
    const std::uint64_t earliest = now - static_cast<std::uint64_t>(kMakesUpFor);
    if (static_cast<std::int64_t>(earliest - due_) > 0) due_ = earliest;
    std::uint32_t count = 0;
    for (; count < most && static_cast<std::int64_t>(now - due_) >= 0; ++count) {
      due_ += args_.sizes[number_of(made_ + count) % args_.size_count].pace;
    }
    return count;
  }

  const GeneratorArgs& args_;
  std::uint64_t due_;       // rank 0's: when the next frame is
  std::uint64_t made_ = 0;  // before the batch
  std::uint32_t batch_ = 0;
};

struct Generator {
  static constexpr std::string_view kName = "generator";
  static constexpr bool kReceives = false;
  static constexpr bool kSends = true;
  static constexpr bool kMakesFrames = true;
  static constexpr bool kOffloads = true;
  template <Block B>
  using State = GeneratorState;
};

}  // namespace ringside
