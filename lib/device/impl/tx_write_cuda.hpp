// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes WQEs on an NVIDIA GPU, a segment of 16 bytes a store. Stores go to the L2 cache as they
// are, so what counts is how many 32-byte sectors a warp's store touches. The segments are made as
// words: copied from the format's packed structs, they would go by way of local memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/impl/wqe_segment.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside {

static_assert(offsetof(ControlSegment, fm_ce_se) == 11);
RS_DEVICE uint4 control_words(const TxQueueHandle& queue, std::uint32_t index,
                              std::uint8_t completion) {
  return {Be32::of(opmod_idx_opcode(index, WqeOpcode::kSend)).raw,
          Be32::of(qpn_ds(queue.sqn, kSendWqeSegments)).raw, std::uint32_t{completion} << 24, 0};
}

static_assert(offsetof(DataSegment, lkey) == 4 && offsetof(DataSegment, address) == 8);
RS_DEVICE uint4 data_words(const TxQueueHandle& queue, const TxPacket& packet) {
  return {Be32::of(packet.length).raw, Be32::of(queue.lkey).raw,
          Be32::of(static_cast<std::uint32_t>(packet.iova >> 32)).raw,
          Be32::of(static_cast<std::uint32_t>(packet.iova)).raw};
}

static_assert(offsetof(SendWqe, ethernet) == 16 && offsetof(SendWqe, data) == 32);
RS_DEVICE uint4 ethernet_words(const TxOffload& offload) {
  const WqeSegment segment = ethernet_segment(offload);
  return {segment.words[0], segment.words[1], segment.words[2], segment.words[3]};
}

RS_DEVICE uint4* segments_at(const TxQueueHandle& queue, std::uint64_t index) {
  return reinterpret_cast<uint4*>(wqe_at(queue, index));
}

/// Writes the three segments of a WQE. What is behind them in its basic block, nobody reads.
RS_DEVICE void write_wqe(const TxQueueHandle& queue, std::uint64_t index, const TxPacket& packet,
                         std::uint8_t completion, const TxOffload& offload = {}) {
  uint4* const segments = segments_at(queue, index);
  segments[0] = control_words(queue, static_cast<std::uint32_t>(index), completion);
  segments[1] = ethernet_words(offload);
  segments[2] = data_words(queue, packet);
}

/// Writes the WQEs of those packets of a warp that are sent, one known to each of kLanes
/// neighbours' last, as `index` in the queue; by four lanes each, so that stores are of whole WQEs,
/// which over PCIe count. All lanes of the warp. false, and nothing is written, where some of the
/// packets before the last one are not sent.
template <std::uint32_t kLanes>
RS_DEVICE bool write_sends_of_warp(const TxQueueHandle& queue, bool sends, std::uint64_t index,
                                   const TxPacket& packet, bool completes) {
  constexpr std::uint32_t kWarp = 32, kSegments = sizeof(SendWqe) / sizeof(uint4);
  constexpr std::uint32_t kAtOnce = kWarp / kSegments;
  constexpr std::uint32_t kMost = kWarp / kLanes;
  constexpr auto knows = [](std::uint32_t place) { return place * kLanes + kLanes - 1; };
  const std::uint32_t lane = threadIdx.x % kWarp;
  const std::uint32_t senders = __ballot_sync(~0U, sends);
  const auto count = static_cast<std::uint32_t>(__popc(senders));
  const bool prefix = sends == (lane < count * kLanes && lane % kLanes == kLanes - 1);
  if (!__all_sync(~0U, prefix)) return false;
  const std::uint32_t segment = lane % kSegments;
  const uint4 data = data_words(queue, packet);
  const auto first = __shfl_sync(~0U, static_cast<std::uint32_t>(index), knows(0));
  const std::uint32_t completing = __ballot_sync(~0U, sends && completes);
  uint4* const ring = segments_at(queue, 0) + segment;
  const std::uint32_t mask = (1U << queue.log_depth) - 1;
#pragma unroll
  for (std::uint32_t store = 0; store < kMost; store += kAtOnce) {
    if (store >= count) break;
    const std::uint32_t place = store + lane / kSegments;
    const std::uint32_t source = knows(place);
    const uint4 own{__shfl_sync(~0U, data.x, source), data.y, __shfl_sync(~0U, data.z, source),
                    __shfl_sync(~0U, data.w, source)};
    const bool asks = (completing >> source & 1U) != 0;
    const uint4 control = control_words(queue, first + place, asks ? kCeAlways : kCeOnError);
    if (place < count) {
      ring[std::size_t{(first + place) & mask} * kSegments] = segment == 0   ? control
                                                              : segment == 2 ? own
                                                                             : uint4{};
    }
  }
  return true;
}

/// Writes packet_of(0) to packet_of(batch.count - 1) as the batch's WQEs. Collective, but no
/// barrier.
template <class PacketOf>
RS_DEVICE void write_sends(ThreadScope&, const TxQueueHandle& queue, const TxBatch& batch,
                           PacketOf packet_of) {
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    write_wqe(queue, batch.first + i, packet_of(i), batch.asks(i) ? kCeAlways : kCeOnError);
  }
}

/// The same by whole warps.
///
/// Each thread asks for one packet, and four neighbours write one WQE, so that a warp's store
/// covers 512 bytes without a gap: on an H200 2.7 cycles a WQE with 1024 threads, where a WQE a
/// thread takes 4.3. The fourth segment is written for the sake of whole sectors.
///
/// In a block of few warps the last one writes nothing: its thread that rings (the last rank) then
/// waits for nothing but its own two fences, while the others write the next batch.
template <Scope S, class PacketOf>
RS_DEVICE void write_sends(S& scope, const TxQueueHandle& queue, const TxBatch& batch,
                           PacketOf packet_of) {
  constexpr std::uint32_t kWarp = 32, kSegments = sizeof(SendWqe) / sizeof(uint4);
  constexpr std::uint32_t kAtOnce = kWarp / kSegments;  // WQEs that one store of a warp covers
  constexpr std::uint32_t kFewWarps = 16;
  const std::uint32_t size = scope.size();
  const std::uint32_t writers = size > kWarp && size <= kFewWarps * kWarp ? size - kWarp : size;
  if (scope.rank() >= writers) return;
  const std::uint32_t lane = scope.rank() % kWarp;
  const std::uint32_t segment = lane % kSegments;
  const std::uint32_t first = static_cast<std::uint32_t>(batch.first);
  const std::uint32_t mask = (1U << queue.log_depth) - 1;
  uint4* const ring = segments_at(queue, 0) + segment;
  for (std::uint32_t of_warp = scope.rank() - lane; of_warp < batch.count; of_warp += writers) {
    TxPacket own{};
    if (of_warp + lane < batch.count) own = packet_of(of_warp + lane);
    const uint4 data = data_words(queue, own);
    // All exchanges are under way before the first store waits for one.
    uint4 words[kSegments];
#pragma unroll
    for (std::uint32_t store = 0; store < kSegments; ++store) {
      const std::uint32_t source = store * kAtOnce + lane / kSegments;
      const std::uint32_t i = of_warp + source;
      const uint4 other{__shfl_sync(~0U, data.x, source), data.y, __shfl_sync(~0U, data.z, source),
                        __shfl_sync(~0U, data.w, source)};
      const uint4 control = control_words(queue, first + i, batch.asks(i) ? kCeAlways : kCeOnError);
      words[store] = segment == 0 ? control : segment == 2 ? other : uint4{};
    }
#pragma unroll
    for (std::uint32_t store = 0; store < kSegments; ++store) {
      const std::uint32_t i = of_warp + store * kAtOnce + lane / kSegments;
      const std::uint32_t place = (first + i) & mask;
      if (i < batch.count) ring[std::size_t{place} * kSegments] = words[store];
    }
  }
}

}  // namespace ringside
