// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames that the forwarding loop sends of its own: a first burst, or all that a program sends that
// does not receive.
#pragma once

#include <cstdint>

#include "lib/device/impl/forward_meeting.hpp"
#include "lib/device/impl/forward_queues.hpp"
#include "lib/device/tx_gather.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

template <Program P>
class ForwardFrames {
 public:
  /// Writes the frames, where each send does not write its own. All threads; a barrier comes after.
  template <WholeBlock B>
  RS_DEVICE void begin(B& block, ForwardParts<P, B>& parts) {
    if constexpr (kHasSendQueue<P>) {
      left_ = P::kReceives ? parts.stream.first_burst : kEndlessBurst;
      if (left_ == 0) return;
      const TxBuffers& buffers = parts.stream.tx_buffers;
      for (std::uint32_t i = block.rank(); i < buffers.count; i += block.size()) {
        std::uint8_t* const frame = frame_at(buffers, buffers.iova[i]);
        if constexpr (kMakesFrames<P>) {
          parts.program.prepare(frame);
        } else {
          write_udp_frame(frame, parts.stream.program);
        }
      }
    }
  }

  /// Are there more to send? Until then nothing is received.
  RS_DEVICE bool are_left() const { return left_ > 0; }
  /// So many were sent, by whichever threads.
  RS_DEVICE void sent(std::uint32_t count) {
    if (left_ != kEndlessBurst) left_ -= count;
  }
  /// Frames that can be made: those in flight are the NIC's.
  RS_DEVICE static std::uint32_t room(const ForwardQueues<P>& queues) {
    const std::uint32_t free = queues.stream.tx_buffers.count - queues.tx.in_flight();
    return at_most(free, queues.tx.room());
  }

  /// Sends up to `most`; returns how many. Collective. `served`: rank 0 notes there what it sent.
  template <WholeBlock B, Block G>
  RS_DEVICE std::uint32_t send(G& group, ForwardParts<P, B>& parts, std::uint32_t most,
                               Served& served) const {
    std::uint32_t count = left_ < most ? static_cast<std::uint32_t>(left_) : most;
    if constexpr (kMakesFrames<P>) {
      count = parts.program.begin_frames(group, at_most(count, room(parts)));
    }
    if (count == 0) return 0;
    const TxBuffers& buffers = parts.stream.tx_buffers;
    const std::uint32_t first = static_cast<std::uint32_t>(parts.tx.posted() % buffers.count);
    const auto iova = [&](std::uint32_t i) { return buffers.iova[(first + i) % buffers.count]; };
    const std::uint32_t length = parts.stream.program.packet_length;
    std::uint32_t bytes[1] = {count * length};
    if constexpr (kMakesFrames<P>) {
      bytes[0] = 0;
      for (std::uint32_t i = group.rank(); i < count; i += group.size()) {
        bytes[0] += parts.program.make(i, frame_at(buffers, iova(i)));
      }
      group.sum(bytes);
    }
    write(group, parts, count, [&](std::uint32_t i) {
      if constexpr (kMakesFrames<P>) {
        return TxPacket{iova(i), parts.program.length(i)};
      } else {
        return TxPacket{iova(i), length};
      }
    });
    group.sync();
    parts.trace.mark(TraceKind::kWritten, group);
    parts.tx.post(group, count);
    parts.trace.mark(TraceKind::kRung, group);
    if (group.rank() == 0) {
      parts.trace.posted(parts.tx.state().posted, count);
      served.sent = count;
      served.sums[Served::kTxBytes] = bytes[0];
    }
    return count;
  }

 private:
  RS_DEVICE static std::uint8_t* frame_at(const TxBuffers& buffers, std::uint64_t iova) {
    return reinterpret_cast<std::uint8_t*>(iova + static_cast<std::uint64_t>(buffers.view_offset));
  }

  template <WholeBlock B, Block G, class PacketOf>
  RS_DEVICE static void write(G& group, ForwardParts<P, B>& parts, std::uint32_t count,
                              PacketOf packet_of) {
    if constexpr (kMakesFrames<P> && kOffloads<P>) {
      const TxOffload& offload = parts.program.offload();
      if (offload.any()) {
        return parts.tx.write_all(group, count, [&](std::uint32_t i) {
          const TxPacket packet = packet_of(i);
          return TxGather<1>{.offload = offload}.add({packet.iova, packet.length});
        });
      }
    }
    parts.tx.write_all(group, count, packet_of);
  }

  std::uint64_t left_ = 0;
};

}  // namespace ringside
