// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Programs whose stream is traced (lib/device/trace.hpp): a choice at compile time, so that all
// others cost nothing.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"
#include "lib/device/trace.hpp"

namespace ringside {

/// Of a traced program: what ProgramArgs::own points at. Two rings, since two threads of a block
/// write side by side.
struct StreamTrace {
  /// Of the receive queue, kArrived to kRung of each batch, in this order and together.
  TraceRing served;
  TraceRing tended;       ///< of the send queue, kSent and kCompleted of each completion
  ClockMailbox* clock;    ///< the kernel answers: what its clock says beside the host's
  std::uint32_t program;  ///< which of TracedOneOf's
};

template <class P>
inline constexpr bool kTraces = requires {
  requires P::kTraces;
};

/// Any of several programs of whole packets, chosen when the kernel starts: one kernel for them
/// all. It receives and sends, so one that sends only needs StreamArgs::first_burst to be
/// kEndlessBurst.
template <Program... P>
struct TracedOneOf {
  static constexpr std::string_view kName = "traced";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kTraces = true;
  static_assert(((!kTakesSplit<P> && !kTakesStrides<P> && !kTakesOver<P> && !kHandsOver<P> &&
                  !kMakesFrames<P>)&&...));

  /// What StreamTrace::program says of a program's name; the number of programs: none of them.
  static constexpr std::uint32_t number_of(std::string_view name) {
    std::uint32_t number = 0;
    static_cast<void>(((P::kName == name || (++number, false)) || ...));
    return number;
  }
  static constexpr std::uint32_t kPrograms = sizeof...(P);

  template <Block B>
  class State {
   public:
    RS_DEVICE State(B&, const ProgramArgs& args)
        : args_(args), program_(static_cast<const StreamTrace*>(args.own)->program) {}
    template <Block G>
    RS_DEVICE void begin_batch(G&) const {}
    RS_DEVICE Verdict process(const Packet& packet, std::uint32_t) const {
      Verdict verdict = Verdict::kDrop;
      std::uint32_t number = 0;
      static_cast<void>(((number++ == program_ && (verdict = process_by<P>(packet), true)) || ...));
      return verdict;
    }
    template <Block G>
    RS_DEVICE void end_batch(G&) const {}

   private:
    template <Program One>
    RS_DEVICE Verdict process_by(const Packet& packet) const {
      if constexpr (One::kReceives) return One::process(packet, args_);
      return Verdict::kDrop;
    }

    const ProgramArgs& args_;
    const std::uint32_t program_;
  };
};

}  // namespace ringside
