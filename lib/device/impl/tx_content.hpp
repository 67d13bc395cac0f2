// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How a send's packets become WQEs: by the type that packet_of returns.
//
//  - TxPacket is one basic block, written by tx_write_*.hpp.
//  - A type with write(queue, index, completion) writes itself, in kBlocks basic blocks.
//  - A type with kPackets shares kBlocks basic blocks with so many neighbours.
//
// Places depend on counts alone, never on lengths, so that threads need not agree on them. A batch
// counts basic blocks, one a slot.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/impl/wqe_segment.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside {

template <class P>
concept GroupedContent = requires {
  P::kPackets;
};

/// Basic blocks of a packet that shares them with none.
template <class P>
RS_HD constexpr std::uint32_t content_blocks() {
  if constexpr (std::is_same_v<P, TxPacket>) {
    return 1;
  } else {
    return P::kBlocks;
  }
}

/// One thread writes such a packet at `index`.
template <class P>
RS_DEVICE void write_content(const TxQueueHandle& queue, std::uint64_t index, const P& packet,
                             std::uint8_t completion) {
  if constexpr (std::is_same_v<P, TxPacket>) {
    write_wqe(queue, index, packet, completion);
  } else {
    packet.write(queue, index, completion);
  }
}

/// Basic blocks of the batch's last WQE.
template <class P>
inline constexpr std::uint32_t kLastWqeBlocks = P::kBlocks;
template <>
inline constexpr std::uint32_t kLastWqeBlocks<TxPacket> = 1;

/// A CQE names the first basic block of its WQE. Where that is not the last one too, a NOP of one
/// block ends the batch and asks for the CQE, so that what is completed is exact.
template <class P>
inline constexpr bool kHasClosingNop = kLastWqeBlocks<P> != 1;

/// Basic blocks that a send of `count` packets takes.
template <class P>
RS_HD constexpr std::uint32_t send_blocks(std::uint32_t count) {
  const std::uint32_t closing = kHasClosingNop<P> ? 1 : 0;
  if constexpr (GroupedContent<P>) {
    return (count + P::kPackets - 1) / P::kPackets * P::kBlocks + closing;
  } else {
    return count * content_blocks<P>() + closing;
  }
}

/// Where the WQE that sends packet `i` begins, from the batch's first basic block on.
template <class P>
RS_HD constexpr std::uint32_t sending_block(std::uint32_t i) {
  if constexpr (GroupedContent<P>) {
    return i / P::kPackets * P::kBlocks;
  } else {
    return (i + 1) * content_blocks<P>() - kLastWqeBlocks<P>;
  }
}

/// TxBatch::ticket(i) of a batch of such packets.
template <class P>
RS_DEVICE TxTicket ticket_of(const TxBatch& batch, std::uint32_t i) {
  return batch.first + sending_block<P>(i) + 1;
}

/// The block whose WQE asks for a CQE, for the packet that is to.
template <class P>
RS_DEVICE TxNotify notify_block(TxNotify notify, std::uint32_t count) {
  const std::uint32_t chosen = notify.packet_of(count);
  if (chosen == TxNotify::kNone) return TxNotify::none();
  return chosen + 1 == count ? TxNotify::last() : TxNotify::packet(sending_block<P>(chosen));
}

template <class PacketOf>
using PacketType = std::remove_cvref_t<std::invoke_result_t<PacketOf&, std::uint32_t>>;

/// Writes packet_of(0) to packet_of(count - 1) into the batch, which has send_blocks() basic
/// blocks. Collective, but no barrier.
template <Scope S, class PacketOf>
RS_DEVICE void write_packets(S& scope, const TxQueueHandle& queue, const TxBatch& batch,
                             std::uint32_t count, PacketOf packet_of) {
  using P = PacketType<PacketOf>;
  if constexpr (std::is_same_v<P, TxPacket>) {
    write_sends(scope, queue, batch, packet_of);
  } else {
    const auto completion = [&](std::uint32_t block) {
      return batch.asks(block) ? kCeAlways : kCeOnError;
    };
    for (std::uint32_t i = scope.rank(); i < count; i += scope.size()) {
      const std::uint8_t asks = completion(sending_block<P>(i));
      if constexpr (GroupedContent<P>) {
        P::write(queue, batch.first, i, count, packet_of, asks);
      } else {
        write_content(queue, batch.first + std::uint64_t{i} * P::kBlocks, packet_of(i), asks);
      }
    }
    if (kHasClosingNop<P> && scope.rank() == 0) {
      write_nop(queue, batch.end() - 1, 1, completion(batch.count - 1));
    }
  }
}

}  // namespace ringside
