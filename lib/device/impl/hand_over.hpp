// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Hand-overs as the forwarding loop sees queues, so that it needs no cases: TakeOver is to the loop
// what RxQueue is, GiveOver what TxQueue is. See lib/device/handed_packet.hpp.
#pragma once

#include "lib/device/handed_packet.hpp"
#include "lib/device/impl/look.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

/// What the block keeps of a batch's items: block-shared.
struct HandedEntries {
  PacketItem item[kMaxBatch];
};

class TakeOver {
 public:
  template <Block B>
  RS_DEVICE TakeOver(B& block, const HandOver& from)
      : ring_(from.ring),
        entries_(block.template shared<HandedEntries>()),
        view_offset_(from.view_offset) {}

  RS_DEVICE bool ready() const { return ring_.ready(); }
  template <Block B>
  RS_DEVICE RxBatch await(B& block, std::uint32_t max) {
    return receive(block, max);
  }
  template <Block B>
  RS_DEVICE RxBatch receive(B& block, std::uint32_t max) {
    if (max > kMaxBatch) max = kMaxBatch;
    // The loop gives each thread of a GPU one packet.
    if (B::kLookThreads > 1 && max > block.size()) max = block.size();
    own_ = block.rank();
    const SemaphoreBatch batch = ring_.take(block, max, 0);
    // Each thread copies items that it has acquired itself; the barrier is for those of the others.
    for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
      entries_.item[i] = ring_.item(batch.first + i);
    }
    block.sync();
    return {batch.first, batch.count, false};
  }

  /// Each thread of a GPU has the packet of its rank, see RxQueue.
  RS_DEVICE std::uint32_t own() const { return own_; }
  RS_DEVICE HandedPacket packet(const RxBatch& batch, std::uint32_t i) const {
    return {entries_.item[i], view_offset_,
            static_cast<std::uint32_t>(batch.first + i) & (ring_.depth() - 1)};
  }
  RS_DEVICE static void hold(const RxBatch&, std::uint32_t) {}  // its item does
  RS_DEVICE static bool is_packet(const RxBatch&, std::uint32_t) { return true; }
  RS_DEVICE static QueueError stop_error(const RxBatch&) { return {}; }

  /// The packet is not used any more: by this block, and where it was sent, by the NIC, whose
  /// completion was acquired. The item in this place is still the packet's: the next one comes
  /// there only after the one before has collected this.
  RS_DEVICE void release(std::uint32_t place) const { ring_.done_at(place); }
  RS_DEVICE void pass_over(std::uint32_t place) const { release(place); }
  template <Block B>
  RS_DEVICE void give_back(B&) const {}  // release() has done so
  template <Block B>
  RS_DEVICE void close(B& block) {
    ring_.close(block);
  }

  RS_DEVICE std::uint32_t depth() const { return ring_.depth(); }
  RS_DEVICE std::uint32_t kept() const { return 0; }  // release() gives back
  RS_DEVICE RxQueueState state() const { return {ring_.taken(), 0}; }
  RS_DEVICE void join(const RxQueueState& state) { ring_.join(state.received); }

 private:
  SemaphoreConsumer<PacketItem, Reach::kDevice> ring_;
  HandedEntries& entries_;
  const std::int64_t view_offset_;
  std::uint32_t own_ = 0;
};

class GiveOver {
 public:
  RS_DEVICE explicit GiveOver(const HandOver& to) : ring_(to.ring) {}

  RS_DEVICE std::uint32_t room() const { return ring_.room(); }
  RS_DEVICE std::uint32_t depth() const { return ring_.depth(); }
  RS_DEVICE std::uint32_t in_flight() const { return ring_.depth() - ring_.room(); }
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress& progress) const {
    std::uint64_t bytes = 0;
    for (std::uint64_t n = progress.completed; n < ring_.posted(); ++n) {
      bytes += ring_.item(n).length;
    }
    return bytes;
  }

  RS_DEVICE bool ready() const { return ring_.ready() || ring_.closed(); }
  /// A kernel behind that has closed has finished all that it had taken, and will take no more: to
  /// the loop, a queue that has stopped.
  template <Block B>
  RS_DEVICE void look(B& block, TxProgress& seen) const {
    // Before the look at the items, so that it sees all that were finished.
    if (block.rank() == 0) seen.stopped = ring_.closed();
    seen.stopped = block.broadcast(seen.stopped);
    // All of them once it has closed: what is not seen then counts as lost.
    seen.completed +=
        ring_.count_finished(block, seen.completed, seen.stopped ? ring_.depth() : kMaxBatch);
    seen.cq_consumed = seen.completed;  // that there is something to take in
  }
  RS_DEVICE TxProgress progress() const {
    return {ring_.collected(), ring_.collected(), false, {}};
  }
  /// Lets go of the slots of what was finished, and of all when nothing more is taken.
  template <Block B, class Rx>
  RS_DEVICE std::uint32_t retire(B& block, const TxProgress& progress, Rx& rx) {
    const std::uint64_t collected = ring_.collected();
    const std::uint64_t end = progress.stopped ? ring_.posted() : progress.completed;
    for (std::uint64_t n = collected + block.rank(); n < end; n += block.size()) {
      rx.release(ring_.item(n).slot);
    }
    ring_.collect_upto(block, end);
    return static_cast<std::uint32_t>(progress.completed - collected);
  }

  RS_DEVICE void write(std::uint32_t i, const Packet& packet, std::uint64_t note) const {
    ring_.write(i, {packet.iova(), packet.cqe(), note, packet.length(), packet.slot()});
  }
  template <Block B>
  RS_DEVICE void post(B& block, std::uint32_t count) {
    ring_.post(block, count);
  }

  RS_DEVICE TxQueueState state() const {
    return {ring_.posted(), ring_.collected(), ring_.collected()};
  }
  RS_DEVICE void join(const TxQueueState& state) { ring_.join(state.posted, state.completed); }

 private:
  SemaphoreProducer<PacketItem, Reach::kDevice> ring_;
};

}  // namespace ringside
