// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The program pipeline as one of several kernels that packets pass through. Each has a chain of its
// own. A packet that one of them sends goes past the chains of those behind it, to the one that has
// the send queue, and so it keeps its place among the others.
#pragma once

#include "kernels/pipeline.hpp"
#include "lib/device/handed_packet.hpp"
#include "lib/device/rx.hpp"

namespace ringside {

/// What kernels tell each other of a packet, beside where it lies: PacketItem::note.
struct PipelineNote {
  std::uint32_t tag;
  std::uint32_t settled;  ///< 1: to be sent as it is

  RS_DEVICE std::uint64_t bits() const { return std::uint64_t{settled} << 32 | tag; }
  RS_DEVICE static PipelineNote of(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
};

template <Block B, bool kTellsNext, class Chains>
class JointPipelineState : public PipelineState<B, Chains> {
 public:
  RS_DEVICE JointPipelineState(B& block, const ProgramArgs& program)
      : PipelineState<B, Chains>(block, program), notes_(block.template shared<Notes>()) {}

  RS_FLATTEN RS_DEVICE Verdict process(const Packet& packet, std::uint32_t i) {
    return settle(packet, 0, i);
  }
  RS_FLATTEN RS_DEVICE Verdict process(const HandedPacket& packet, std::uint32_t i) {
    const PipelineNote note = PipelineNote::of(packet.note());
    if (note.settled == 0) return settle(packet, note.tag, i);
    tell(i, note);
    return Verdict::kSend;
  }
  /// Of a packet that goes on: in the thread that has processed it.
  RS_DEVICE std::uint64_t note(std::uint32_t i) const { return notes_.note[i]; }

 private:
  struct Notes {
    std::uint64_t note[kTellsNext ? kMaxBatch : 1];
  };

  RS_DEVICE Verdict settle(const Packet& packet, std::uint32_t tag, std::uint32_t i) {
    const stages::Target at = this->run(packet, tag, i);
    const bool goes_on = at == stages::kNextTarget;
    tell(i, {tag, goes_on ? 0U : 1U});
    return goes_on ? Verdict::kSend : this->verdict(at);
  }

  RS_DEVICE void tell(std::uint32_t i, const PipelineNote& note) {
    if constexpr (kTellsNext) notes_.note[i] = note.bits();
  }

  Notes& notes_;  // in memory that the block shares
};

/// Receives, and hands over to the kernel behind.
struct PipelineFirst {
  static constexpr std::string_view kName = "pipeline_first";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kHandsOver = true;
  static constexpr bool kGathers = true;
  template <Block B, class Chains>
  using StateOf = JointPipelineState<B, true, Chains>;
  template <Block B>
  using State = StateOf<B, StoredChains>;
};

struct PipelineMiddle : PipelineFirst {
  static constexpr std::string_view kName = "pipeline_middle";
  static constexpr bool kTakesOver = true;
  static constexpr bool kGathers = false;
};

/// Takes packets over, and sends.
struct PipelineLast {
  static constexpr std::string_view kName = "pipeline_last";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kTakesOver = true;
  static constexpr bool kOffloads = true;
  template <Block B, class Chains>
  using StateOf = JointPipelineState<B, false, Chains>;
  template <Block B>
  using State = StateOf<B, StoredChains>;
};

}  // namespace ringside
