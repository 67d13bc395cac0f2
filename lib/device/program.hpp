// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet program: what a kernel does with each packet. forward() does the rest.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "lib/device/handed_packet.hpp"
#include "lib/device/packet.hpp"
#include "lib/device/stream.hpp"
#include "lib/device/target.hpp"

namespace ringside {

inline constexpr std::uint32_t kEthernetHeader = 14;  ///< bytes

enum class Verdict : std::uint8_t {
  kSend,     ///< as it lies in its slot now
  kDrop,     ///< counted as DropCause::kProgram
  kConsume,  ///< done with; it was meant to end here
};

/// What a program keeps in each thread while a kernel runs, where `P::process` is not enough. Made
/// by all threads of the block together when the kernel starts. Each batch of packets is one
/// group's, the block or a part of it (block.hpp), from begin_batch to end_batch: collective in the
/// group both. No barrier is promised before end_batch: a thread may be in it while others process
/// still, and awaits what it is to see of them by a barrier of its own. Groups take turns with a
/// barrier of the block between them, and their rank 0 is one thread, the block's. So that thread's
/// state is of all batches, while another's may be of none since long ago.
template <class S, class B, class P = Packet>
concept ProgramState = std::constructible_from<S, B&, const ProgramArgs&> &&
    requires(S state, B& block, const P& packet, std::uint32_t i) {
  state.begin_batch(block);
  { state.process(packet, i) } -> std::same_as<Verdict>;  // packet number i of the batch
  state.end_batch(block);
};

/// `process` runs in one thread a packet, may change the packet in place, and touches nothing that
/// other threads touch. A program that does not receive sends frames of its own (udp_frame.hpp) and
/// has no `process`; nor has one with a `State<Block>` (a ProgramState), which processes. One that
/// does not send never answers kSend.
template <class P>
concept Program = requires {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kReceives } -> std::convertible_to<bool>;
  { P::kSends } -> std::convertible_to<bool>;
};

/// One of several kernels that a stream's packets pass through, on the way from its receive queue
/// to its send queue: takes packets over from the kernel before (P::kTakesOver), or hands them over
/// to the one behind (P::kHandsOver), in place of the queue that it has not. See handed_packet.hpp.
/// Its State then processes HandedPackets, or says `note(i)` of each packet number i of a batch
/// that it answers kSend to.
template <class P>
inline constexpr bool kTakesOver = requires {
  requires P::kTakesOver;
};
template <class P>
inline constexpr bool kHandsOver = requires {
  requires P::kHandsOver;
};

/// A program for which one thread a packet is too slow works on a batch together, before `process`
/// sees its packets: `packet_at(i)`, 0 to count - 1, of which some may be Packet::none().
/// Collective in the group; a barrier comes after it.
template <class P, class G>
concept ProcessesTogether = requires(G& group, std::uint32_t count,
                                     Packet (*packet_at)(std::uint32_t), const ProgramArgs& args) {
  P::process_together(group, count, packet_at, args);
};

/// Is the program for queues that split headers from data (split_queue.hpp)? It says so by kSplits;
/// forward() then gives its state SplitPackets, and a `process` of its own the Packet that one is.
template <class P>
inline constexpr bool kTakesSplit = requires {
  requires P::kSplits;
};

/// Is the program for striding receive queues (strided.hpp)? It says so by kStrides.
template <class P>
inline constexpr bool kTakesStrides = requires {
  requires P::kStrides;
};

/// Makes each of the frames that it sends: its State has, instead of process, `begin_frames(block,
/// most)`, collective, which says how many, `make(i, frame)` and `length(i)` for number i of them,
/// and is_due(now) where it waits for the time of one. `prepare(frame)` comes once for each buffer.
/// Such a program does not receive.
template <class P>
inline constexpr bool kMakesFrames = requires {
  requires P::kMakesFrames;
};

/// Its State says by `offload()`, a const TxOffload&, what the NIC does to each packet that it
/// sends.
template <class P>
inline constexpr bool kOffloads = requires {
  requires P::kOffloads;
};

/// Its State says by `gather_ns()` how long a batch may wait to be full, since its first packet
/// came; 0: no batch does.
template <class P>
inline constexpr bool kGathers = requires {
  requires P::kGathers;
};

/// Keeps nothing from one batch to the next, so it runs as well on bursts (burst.hpp).
template <class P>
concept BurstProgram = Program<P> && !kMakesFrames<P> && !kTakesStrides<P> &&
                       (!P::kReceives || requires(const Packet& packet, const ProgramArgs& args) {
                         { P::process(packet, args) } -> std::same_as<Verdict>;
                       });

}  // namespace ringside
