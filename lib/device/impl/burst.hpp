// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/burst.hpp
#pragma once

#include "lib/device/burst.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

/// The CQE that a NIC would have written for the packet. Of what a program does not ask for, the
/// compiler leaves nothing.
RS_DEVICE Cqe cqe_of(const BurstPacketInfo& info) {
  Cqe cqe{};
  cqe.rx_hash_result = Be32::of(info.rss_hash);
  cqe.rx_hash_type = info.rss_hash_valid;
  cqe.header_flags = info.header_flags;
  cqe.header_types = info.header_types;
  cqe.vlan_info = Be16::of(info.vlan_tci);
  cqe.sop_qpn.raw = info.flow_tag << 8;  // Packet::flow_tag()
  return cqe;
}

template <BurstProgram P, Block B>
RS_DEVICE void process_together(B& block, const BurstArgs& burst) {
  if constexpr (ProcessesTogether<P, B>) {
    const auto packet_at = [&](std::uint32_t i) {
      const BurstPacket packet = burst.packets[i];
      return packet.address == 0 ? Packet::none()
                                 : Packet(nullptr, packet.address, burst.view_offset, i,
                                          static_cast<std::uint32_t>(packet.length));
    };
    P::process_together(block, burst.capacity, packet_at, burst.program);
    block.sync();
  }
}

template <BurstProgram P>
RS_DEVICE Verdict judge_packet(const BurstArgs& burst, const BurstPacket& packet,
                               std::uint32_t place) {
  if constexpr (P::kReceives) {
    const Cqe cqe = cqe_of(burst.infos[place]);
    return P::process(Packet(&cqe, packet.address, burst.view_offset, place,
                             static_cast<std::uint32_t>(packet.length)),
                      burst.program);
  } else {
    write_udp_frame(reinterpret_cast<std::uint8_t*>(packet.address +
                                                    static_cast<std::uint64_t>(burst.view_offset)),
                    burst.program);
    return Verdict::kSend;
  }
}

template <BurstProgram P, Block B>
RS_DEVICE void run_burst(B& block, const BurstArgs& burst) {
  process_together<P>(block, burst);
  for (std::uint32_t i = block.rank(); i < burst.capacity; i += block.size()) {
    const BurstPacket packet = burst.packets[i];
    if (packet.address == 0) break;
    burst.verdicts[i] = judge_packet<P>(burst, packet, i);
  }
  block.sync();
  // Meets the CPU's acquire. The barrier puts what all threads wrote before it.
  if (block.rank() == 0) store_release_system(burst.state, BurstState::kDone);
}

template <BurstProgram P, Block B>
RS_DEVICE void serve_bursts(B& block, const BurstLaneArgs& lane) {
  struct Look {
    bool ready;
    bool end;
  };
  std::uint32_t place = 0;
  for (;;) {
    const BurstArgs& burst = lane.places[place];
    const auto is_over = [&] { return load_relaxed_system(lane.exit) != 0; };
    // Meets the CPU's release of kReady: what it wrote of the burst is there, past the broadcast
    // for all threads.
    const auto is_ready = [&] { return load_acquire_system(burst.state) == BurstState::kReady; };
    Look look{};
    if (block.rank() == 0) {
      // In this order the looks are one PCIe round trip: a relaxed load waits for nothing.
      look.end = is_over();
      look.ready = is_ready();
    }
    look = block.broadcast(look);
    if (look.ready) {
      run_burst<P>(block, burst);
      place = place + 1 == lane.count ? 0 : place + 1;
    } else if (look.end) {
      return;
    } else {
      block.idle([&] { return is_over() || is_ready(); });
    }
  }
}

}  // namespace ringside
