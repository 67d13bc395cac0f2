// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packet programs of the tests' own, for host threads and GPUs.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/all.hpp"
#include "lib/device/forward.hpp"
#include "lib/device/receive_queue.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/send_queue.hpp"

namespace ringside::test {

/// Sends packets whose first byte is even, drops those that end in 1 or 5, consumes the others.
struct Sorter {
  static constexpr std::string_view kName = "sorter";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;

  static RS_DEVICE Verdict process(const Packet& packet, const ProgramArgs&) {
    if (packet.data()[0] % 2 == 0) return Verdict::kSend;
    return packet.data()[0] % 4 == 1 ? Verdict::kDrop : Verdict::kConsume;
  }
};

/// Sends packets in batches that wait; ProgramArgs::own: for how many ns.
template <Block B>
class Waiting {
 public:
  RS_DEVICE Waiting(B&, const ProgramArgs& args)
      : gather_ns_(*static_cast<const std::uint64_t*>(args.own)) {}
  template <Block G>
  RS_DEVICE void begin_batch(G&) const {}
  template <Block G>
  RS_DEVICE void end_batch(G&) const {}
  RS_DEVICE Verdict process(const Packet&, std::uint32_t) const { return Verdict::kSend; }
  RS_DEVICE std::uint64_t gather_ns() const { return gather_ns_; }

 private:
  const std::uint64_t gather_ns_;
};
struct Gathers {
  static constexpr std::string_view kName = "gathers";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kGathers = true;
  template <Block B>
  using State = Waiting<B>;
};

struct SplitIo : Io {
  static constexpr std::string_view kName = "split_io";
  static constexpr bool kSplits = true;
};
struct SplitMacSwap : MacSwap {
  static constexpr std::string_view kName = "split_macswap";
  static constexpr bool kSplits = true;
};

/// What a test tells a kernel (ProgramArgs::own), and the notes of its block.
struct Orders {
  std::uint8_t drops = 0xff;     ///< packets that begin with this byte
  std::uint8_t consumes = 0xff;  ///< and with this one
  std::uint32_t strange = 0;     ///< set where a packet that was handed over lost its CQE
  std::uint64_t note[kMaxBatch] = {};
};

/// Numbers the packets that pass by in their notes: each kernel adds one.
template <Block B>
class Passing {
 public:
  RS_DEVICE Passing(B&, const ProgramArgs& args)
      : orders_(*const_cast<Orders*>(static_cast<const Orders*>(args.own))) {}
  template <Block G>
  RS_DEVICE void begin_batch(G&) const {}
  template <Block G>
  RS_DEVICE void end_batch(G&) const {}
  RS_DEVICE Verdict process(const Packet& packet, std::uint32_t i) { return judge(packet, 0, i); }
  RS_DEVICE Verdict process(const HandedPacket& packet, std::uint32_t i) {
    // The CQE is the packet's own still.
    if (packet.cqe()->byte_count.value() != packet.length()) orders_.strange = 1;
    return judge(packet, packet.note(), i);
  }
  RS_DEVICE std::uint64_t note(std::uint32_t i) const { return orders_.note[i]; }

 private:
  RS_DEVICE Verdict judge(const Packet& packet, std::uint64_t note, std::uint32_t i) {
    if (packet.data()[0] == orders_.drops) return Verdict::kDrop;
    if (packet.data()[0] == orders_.consumes) return Verdict::kConsume;
    packet.data()[1] = static_cast<std::uint8_t>(note + 1);
    orders_.note[i] = note + 1;
    return Verdict::kSend;
  }
  Orders& orders_;
};

template <bool kFrom, bool kTo>
struct Passes {
  static constexpr std::string_view kName = !kFrom ? "passes_on" : kTo ? "passes" : "passes_out";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kTakesOver = kFrom;
  static constexpr bool kHandsOver = kTo;
  template <Block B>
  using State = Passing<B>;
};

/// A kernel with a loop of its own: sends bursts, receives as much, and goes on when a queue stops,
/// be it with an error CQE or without a word.
struct ReceivesItsOwn {
  static constexpr std::string_view kName = "receives_its_own";
  /// ProgramArgs::own.
  struct Aim {
    std::uint32_t burst;  ///< frames, of StreamArgs::tx_buffers
    std::uint32_t packets;
  };
  static constexpr std::uint64_t kPatienceNs = 100'000'000;

  template <Block B>
  static RS_DEVICE void run(B& block, const StreamArgs& args) {
    const Aim aim = *static_cast<const Aim*>(args.program.own);
    SendQueue<Sharing::kExclusive> sender(args.tx);
    ringside::ReceiveQueue receiver(args.rx);
    const RecoveryWords words{&args.status->recovery, &args.control->recovery};
    const auto ends = [&] { return load_relaxed_system(&args.control->exit) != 0; };
    const auto packet = [&](std::uint32_t i) { return TxPacket{args.tx_buffers.iova[i], 64}; };
    const auto go_on = [&](std::uint32_t queue, const QueueError& error) {
      return queue == kRecoverSend ? recover(block, words, {queue, error}, ends, sender)
                                   : recover(block, words, {queue, error}, ends, receiver, sender);
    };
    for (std::uint32_t got = 0; got < aim.packets;) {
      if (block.broadcast(ends())) return;
      if (const std::uint32_t silent = block.broadcast(silent_stops(words)); silent != 0) {
        const bool receives = (silent & kRecoverReceive) != 0;
        if (!go_on(receives ? kRecoverReceive : kRecoverSend, {})) return;
      }
      const TxBatch sent = sender.send(block, aim.burst, packet, kPatienceNs);
      if (sent.status == TxStatus::kStopped ||
          sender.poll_at(block, sent.ticket(), kPatienceNs) == TxStatus::kStopped) {
        if (!go_on(kRecoverSend, sender.stop_error())) return;
        continue;
      }
      const RxBatch batch = receiver.receive(block, {1, aim.burst, kPatienceNs});
      for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
        receiver.release(receiver.slot(batch, i));
      }
      block.sync();
      receiver.give_back(block);
      if (batch.stopped && !go_on(kRecoverReceive, receiver.stop_error(batch))) return;
      got += batch.count;
    }
    if (block.rank() == 0) store_release_system(&args.status->phase, BlockPhase::kFinished);
  }
};

/// What a thread of a program's block does.
template <class P, Block B>
RS_DEVICE void run_program(B& block, const StreamArgs& stream) {
  if constexpr (Program<P>) {
    forward<P>(block, stream);
  } else {
    P::run(block, stream);
  }
}

template <class... P>
struct OwnList {};
using OwnPrograms =
    OwnList<ReceivesItsOwn, Sorter, SplitIo, SplitMacSwap, Strided<Sorter>, Strided<Gathers>,
            Passes<false, true>, Passes<true, true>, Passes<true, false>>;

}  // namespace ringside::test
