// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue that one block owns.
//
// A receive ring re-arms only in order, so slot i keeps buffer i, and a slot whose packet is still
// being sent holds back those after it. take() holds a packet's slot, release() lets go of it, and
// give_back() hands contiguous free slots to the NIC again.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/cqe_tail.hpp"
#include "lib/device/packet.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/rx_batch.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// CQEs that a batch holds at most.
inline constexpr std::uint32_t kMaxBatch = 512;

/// What the block keeps of a batch's CQEs, so that no thread reads one again: block-shared.
struct RxEntries {
  struct Entry {
    std::uint64_t iova;
    std::uint32_t length;
    CqeOpcode opcode;
  };
  Entry entry[kMaxBatch];
};

/// Where the packets of a queue lie: here, each in its slot's buffer.
class SlotPlaces {
 public:
  using Handle = RxQueueHandle;
  RS_DEVICE explicit SlotPlaces(const Handle&) {}
  RS_DEVICE static const RxQueueHandle& slots_of(const Handle& handle) { return handle; }

  /// What is known before the CQE is there; comes while that is on its way.
  RS_DEVICE std::uint64_t before_cqe(const RxQueueHandle& queue, std::uint32_t slot) const {
    return queue.slot_iova[slot];
  }
  /// Of a CQE that was acquired, by what was known before.
  RS_DEVICE std::uint64_t iova(std::uint64_t known, const Cqe*, const CqeTail&) const {
    return known;
  }
};

template <class Places>
class RxQueueOf : protected Places {
 public:
  using Handle = typename Places::Handle;

  /// A block has one receive queue at a time. `handle` is copied.
  template <Block B>
  RS_DEVICE RxQueueOf(B& block, const Handle& handle);

  /// Would receive() find more than `i` completions? Any thread. Acquire, system.
  RS_DEVICE bool ready(std::uint32_t i = 0) const;
  /// Takes up to `max` completions that are there, or as many as kMaxBatch and look_limit() allow;
  /// never waits but for the barrier that it is. Collective. The batch before is over: a barrier
  /// lies between its use and this. The packets' bytes are visible to all threads of the block
  /// (acquire, of the NIC's write of the CQE).
  template <Block B>
  RS_DEVICE RxBatch receive(B& block, std::uint32_t max);
  /// The same for a block that has nothing better to do: may look a few times.
  template <Block B>
  RS_DEVICE RxBatch await(B& block, std::uint32_t max);
  /// The same for one completion, in fewer steps, where kLookThreads is more than 1. Of `width`
  /// that it looks at it takes one; `follows`: true in some thread if a packet lies behind it.
  template <Block B>
  RS_DEVICE RxBatch await_one(B& block, std::uint32_t width, bool& follows);

  /// Holds the slot of the batch's packet i, 0 to count - 1. One thread a packet, any.
  RS_DEVICE Packet take(const RxBatch& batch, std::uint32_t i);
  /// Holds the slot of one that packet() has given, until release(). One thread a packet, any. A
  /// barrier lies between it and give_back(), which would hand a slot that is not held yet to the
  /// NIC, and between it and release(): let go of before, the slot would stay held. So it may come
  /// behind the doorbell of what sends the packet, as long as nobody takes in that send's
  /// completion before the barrier.
  RS_DEVICE void hold(const RxBatch& batch, std::uint32_t i);
  /// The same packet again. Any thread.
  RS_DEVICE Packet packet(const RxBatch& batch, std::uint32_t i) const;
  /// false: an error CQE that cost this packet only; there are no data. Any thread.
  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  /// Which of the batch's packets this thread knows by itself, where looking gives each thread one
  /// at most (Block::kLookThreads is more than 1): of those it learns nothing from other threads.
  /// All others: count or more.
  RS_DEVICE std::uint32_t own() const { return own_index_; }
  /// Of a batch that says `stopped`: why. Any thread.
  RS_DEVICE QueueError stop_error(const RxBatch& batch) const;

  /// Of a packet whose slot was not held, and is not needed.
  RS_DEVICE static void pass_over(std::uint32_t) {}
  /// Lets go of a slot: the thread that took the packet, or another after a barrier.
  RS_DEVICE void release(std::uint32_t slot);
  /// Tells the NIC which completions were received and which slots are not held. Collective; a
  /// barrier lies between it and what was taken and released before. Release, system: the NIC
  /// overwrites buffers after all that the block's threads did to them.
  template <Block B>
  RS_DEVICE void give_back(B& block);
  /// Received, and not given back.
  RS_DEVICE std::uint32_t kept() const { return static_cast<std::uint32_t>(received_ - released_); }

  /// How far this thread knows the queue to be; one that took no part in receive() or give_back()
  /// learns it from one that did.
  RS_DEVICE RxQueueState state() const { return {received_, released_}; }
  RS_DEVICE void join(const RxQueueState& state);
  /// CQEs that the CQ had before the first one received.
  RS_DEVICE std::uint64_t cq_offset() const { return handle_.cq_offset; }
  /// After a recovery: nothing is received of what was posted anew.
  RS_DEVICE void begin_again(std::uint64_t cq_offset);

 protected:
  RS_DEVICE const RxQueueHandle& handle() const { return handle_; }
  /// Of a batch's completion i.
  RS_DEVICE RxEntries::Entry entry(std::uint32_t i) const {
    return i == own_index_ ? own_ : entries_.entry[i];
  }
  /// What give_back() does before it tells the NIC. Collective; a barrier.
  template <Block B>
  RS_DEVICE void pass_released(B& block);

 private:
  enum class Sight { kNothing, kTaken, kStopped };
  template <bool kWaits, Block B>
  RS_DEVICE RxBatch take_batch(B& block, std::uint32_t max);
  /// Notes what the CQE i after the last one received says.
  RS_DEVICE Sight see(std::uint32_t i, const CqeTail& tail, std::uint64_t known);
  RS_DEVICE void note(std::uint32_t i, const CqeTail& tail, std::uint64_t known);
  /// What its place says before it is there.
  RS_DEVICE std::uint64_t known_of(std::uint32_t i) const;

  RxQueueHandle handle_;  // but for begin_again() it never changes
  static constexpr std::uint32_t kNone = ~0U;

  RxEntries& entries_;
  RxEntries::Entry own_{};  // in registers: the last that this thread has noted
  std::uint32_t own_index_ = kNone;
  std::uint64_t received_;
  std::uint64_t released_;
};

using RxQueue = RxQueueOf<SlotPlaces>;

}  // namespace ringside

#include "lib/device/impl/rx.hpp"
