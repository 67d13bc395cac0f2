// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The queues between which the forwarding loop carries packets, or what a program has in place of
// one: a ring to another kernel, or nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/impl/forward_trace.hpp"
#include "lib/device/impl/hand_over.hpp"
#include "lib/device/impl/no_queue.hpp"
#include "lib/device/impl/program_state.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/program.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/split_queue.hpp"
#include "lib/device/stream.hpp"
#include "lib/device/strided.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

/// Has it queues, not rings in their place, or none?
template <Program P>
inline constexpr bool kHasReceiveQueue = P::kReceives && !kTakesOver<P>;
template <Program P>
inline constexpr bool kHasSendQueue = P::kSends && !kHandsOver<P>;

/// May the doorbell of a batch wait for the next pass, where other threads ring it while those that
/// wrote the batch look for packets and rewrite them? A doorbell costs two fences, each of which
/// takes about as long as a read over PCIe. A traced program rings at once: one thread notes all of
/// a batch's steps. So does a block whose ringer has other things to do (rings_later()).
template <Program P, class B>
inline constexpr bool kMayRingLater = B::kHasParts&& kHasSendQueue<P> && !kTraces<P>;

/// Each thread has its own view of them.
template <Program P>
struct ForwardQueues {
 private:
  using WholeRx = std::conditional_t<kTakesStrides<P>, StridedRxQueue, RxQueue>;
  using QueueRx = std::conditional_t<kTakesSplit<P>, SplitRxQueue, WholeRx>;
  using QueueTx = std::conditional_t<kTakesSplit<P>, SplitTxQueue, TxQueue>;

 public:
  using Rx = std::conditional_t<kTakesOver<P>, TakeOver,
                                std::conditional_t<P::kReceives, QueueRx, NoRxQueue>>;
  using Tx = std::conditional_t<kHandsOver<P>, GiveOver,
                                std::conditional_t<P::kSends, QueueTx, NoTxQueue>>;

  /// As they are when a kernel starts. `block`: the stream's, or a part of it.
  template <Block B>
  RS_DEVICE ForwardQueues(B& block, const StreamArgs& args)
      : stream(args), rx(block, source(args)), tx(sink(args)), trace(block, args) {}

  const StreamArgs& stream;
  Rx rx;
  Tx tx;
  ForwardTraceOf<P> trace;

 private:
  RS_DEVICE static decltype(auto) source(const StreamArgs& stream) {
    if constexpr (kTakesOver<P>) {
      return (stream.from);
    } else if constexpr (kTakesStrides<P>) {
      return StridingQueueHandle{stream.rx, stream.strides};
    } else {
      return (stream.rx);
    }
  }
  RS_DEVICE static const auto& sink(const StreamArgs& stream) {
    if constexpr (kHandsOver<P>) {
      return stream.to;
    } else {
      return stream.tx;
    }
  }
};

/// The queues, and what the program keeps.
template <Program P, WholeBlock B>
struct ForwardParts : ForwardQueues<P> {
  RS_DEVICE ForwardParts(B& block, const StreamArgs& args)
      : ForwardQueues<P>(block, args), program(block, args.program) {}

  StateOf<P, B> program;
};

RS_DEVICE bool exit_is_set(const StreamArgs& stream) {
  return load_relaxed_system(&stream.control->exit) != 0;
}

/// The CPU wants the loop to end: for good, or since a queue has stopped that does not say so.
RS_DEVICE bool is_called_off(const StreamArgs& stream) {
  // Both words in one: what a look costs is the way across PCIe.
  return load_relaxed_system(reinterpret_cast<const std::uint64_t*>(stream.control)) != 0;
}

RS_DEVICE constexpr std::uint32_t at_most(std::uint32_t value, std::uint32_t most) {
  return value < most ? value : most;
}

}  // namespace ringside
