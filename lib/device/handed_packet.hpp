// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets that one kernel hands to the next by a semaphore, in place: no byte of them is copied.
//
// Who owns what: the first kernel of a stream has the receive queue, all of it, and the last one
// the send queue, all of it; no kernel touches the other's words. A packet's slot goes with the
// item that stands for it. Whoever is the last to use the packet, because it was dropped, consumed
// or sent, and the NIC has read it, marks the item done; the kernel before collects it and does the
// same with its own item, until the first one releases the slot and gives it back to the NIC. The
// ring is that way back, so there is no other that could be full or out of order. A receive queue
// is re-armed in order anyway, so that items come back in order costs nothing.
#pragma once

#include <cstdint>

#include "lib/device/packet.hpp"
#include "lib/device/semaphore.hpp"

namespace ringside {

/// A packet on its way. `cqe` stays the packet's until its slot is given back: the completion queue
/// is no shorter than the receive queue, so it is not written over before.
struct PacketItem {
  std::uint64_t iova;
  const Cqe* cqe;
  std::uint64_t note;    ///< what the program that hands it over says of it
  std::uint32_t length;  ///< bytes, without FCS
  std::uint32_t slot;    ///< of who hands it over: a receive queue's, or a place of its own ring
};
static_assert(sizeof(PacketItem) == 32);

/// The way from a block of one kernel to one of the next.
struct HandOver {
  SemaphoreHandle<PacketItem> ring;
  std::int64_t view_offset;  ///< of the packets: see RxQueueHandle
};

/// A packet that another kernel has handed over. Its slot is its place in the ring.
class HandedPacket : public Packet {
 public:
  RS_DEVICE HandedPacket(const PacketItem& item, std::int64_t view_offset, std::uint32_t place)
      : Packet(item.cqe, item.iova, view_offset, place, item.length), note_(item.note) {}
  /// PacketItem::note
  RS_DEVICE std::uint64_t note() const { return note_; }

 private:
  std::uint64_t note_;
};

}  // namespace ringside
