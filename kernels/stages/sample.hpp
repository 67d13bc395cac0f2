// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Hands copies of packets to the CPU: a ring in memory that both reach, loads and stores only.
// Full, it loses the sample and says so; nothing waits.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/stages/atomic.hpp"
#include "kernels/stages/packet_view.hpp"
#include "lib/device/memory.hpp"

namespace ringside::stages {

/// At the start of a slot; the packet's first bytes follow.
struct SampleHeader {
  std::uint64_t order;     ///< packets in the order received, of one kernel run
  std::uint64_t clock_ns;  ///< the block's, when the batch began
  std::uint32_t length;
  std::uint32_t captured;  ///< bytes that follow
  std::uint32_t sink;
  std::uint32_t reserved;
};
static_assert(sizeof(SampleHeader) == 32);

/// One writer a line. head - tail slots are the CPU's, from tail on.
struct SampleRingWords {
  alignas(64) std::uint64_t head;  ///< the block's, after each batch
  std::uint64_t clock_ns;          ///< when it was written, by the block's clock
  alignas(64) std::uint64_t tail;  ///< the CPU's
};

struct SampleRing {
  SampleRingWords* words;
  std::uint8_t* slots;       ///< 16-byte aligned
  std::uint32_t slot_bytes;  ///< a multiple of 16, header included
  std::uint32_t log_slots;
};

/// What the block's threads share of a ring, in their own memory.
struct SampleRingState {
  std::uint64_t reserved;  ///< slots handed out
  std::uint64_t tail;      ///< as last seen
};

/// A slot to be written by the caller, or nullptr: full.
RS_DEVICE std::uint8_t* reserve_slot(const SampleRing& ring, SampleRingState& state) {
  const std::uint64_t slots = std::uint64_t{1} << ring.log_slots;
  std::uint64_t next = load_shared(&state.reserved);
  for (;;) {
    // Ends: see run_police().
    if (next - load_shared(&state.tail) >= slots) {
      // Acquire pairs with the CPU's release of tail: it has read the slots that are written next.
      const std::uint64_t tail = load_acquire_system(&ring.words->tail);
      store_shared(&state.tail, tail);
      if (next - tail >= slots) return nullptr;
    }
    if (exchange_shared(&state.reserved, next, next + 1)) {
      return ring.slots + (next & (slots - 1)) * ring.slot_bytes;
    }
  }
}

/// Eight bytes at a time where both places allow it: each store is one over PCIe.
RS_DEVICE void copy_to_slot(std::uint8_t* slot, const std::uint8_t* from, std::uint32_t bytes) {
  std::uint32_t i = 0;
  if ((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(slot)) % 8 == 0) {
    for (; i + 8 <= bytes; i += 8) {
      *reinterpret_cast<std::uint64_t*>(slot + i) =
          *reinterpret_cast<const std::uint64_t*>(from + i);
    }
  }
  for (; i < bytes; ++i) slot[i] = from[i];
}

struct SampleParameters {
  std::uint32_t every;    ///< 1: each packet; else which of a batch, its threads settle
  std::uint32_t snaplen;  ///< bytes at most
  std::uint32_t sink;
};

enum class Sampled { kNo, kYes, kLost };

/// `seen`: a word that threads share, of this stage.
RS_DEVICE Sampled run_sample(const PacketView& packet, const SampleParameters& parameters,
                             std::uint64_t* seen, const SampleRing& ring, SampleRingState& state,
                             std::uint64_t order, std::uint64_t clock_ns) {
  if (parameters.every > 1 && fetch_add_shared(seen, 1) % parameters.every != 0) {
    return Sampled::kNo;
  }
  std::uint8_t* const slot = reserve_slot(ring, state);
  if (slot == nullptr) return Sampled::kLost;
  std::uint32_t captured = ring.slot_bytes - static_cast<std::uint32_t>(sizeof(SampleHeader));
  if (parameters.snaplen < captured) captured = parameters.snaplen;
  if (packet.length < captured) captured = packet.length;
  *reinterpret_cast<SampleHeader*>(slot) =
      SampleHeader{order, clock_ns, packet.length, captured, parameters.sink, 0};
  std::uint8_t* const to = slot + sizeof(SampleHeader);
  const std::uint32_t at_data = bytes_at_data(packet);
  const std::uint32_t first = captured < at_data ? captured : at_data;
  copy_to_slot(to, packet.data, first);
  if (captured > first) copy_to_slot(to + first, packet.rest, captured - first);
  return Sampled::kYes;
}

}  // namespace ringside::stages
