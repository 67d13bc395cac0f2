// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the benchmarks of stages do to a packet, twice: as a chain of 1, 4 or 8 stages, and as a
// function written by hand for just that, from the same parts and with all constants known to the
// compiler. It leaves a packet so that it can be done again.
#pragma once

#include <cstdint>

#include "kernels/stages/atomic.hpp"
#include "kernels/stages/chain.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/load_balance.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/parse.hpp"
#include "kernels/stages/swap.hpp"

namespace ringside::bench {

inline constexpr std::uint32_t kFrameBytes = 60;
inline constexpr std::uint64_t kNewDestination = 0xc0000209;  // 192.0.2.9
inline constexpr std::uint64_t kNewTtl = 63;
inline constexpr std::uint64_t kPing = 0xc0000201;  // 192.0.2.1

/// UDP from 10.x.x.x to port 53: every stage lets it pass.
RS_DEVICE void write_frame(std::uint8_t* frame, std::uint32_t number) {
  constexpr std::uint8_t kHead[42] = {2,    0, 0,  0,  0, 1, 2, 0, 0,  0,  0, 2,  8,  0,
                                      0x45, 0, 0,  46, 0, 0, 0, 0, 64, 17, 0, 0,  10, 0,
                                      0,    0, 10, 0,  0, 1, 0, 0, 0,  53, 0, 26, 0,  0};
  for (std::uint32_t i = 0; i < kFrameBytes; ++i) {
    frame[i] = i < sizeof kHead ? kHead[i] : std::uint8_t{0};
  }
  stages::store16(frame + 28, static_cast<std::uint16_t>(number >> 16));
  stages::store16(frame + 34, static_cast<std::uint16_t>(number));
}

/// What a hand-written program keeps: one counter, and the backends of the stage load_balance.
struct ByHandState {
  std::uint64_t* packets;
  std::uint64_t* bytes;
  const stages::LoadBalanceParameters* backends;
  bool alone;
};

RS_DEVICE bool is_udp_to(const stages::PacketView& packet, std::uint16_t first,
                         std::uint16_t last) {
  const stages::Layers& layers = packet.headers.outer;
  if (layers.l3 != stages::L3::kIpv4 || layers.l4 != stages::L4::kUdp || layers.fragment) {
    return false;
  }
  const std::uint16_t port = stages::load16(packet.data + layers.l4_offset + 2);
  return port >= first && port <= last;
}

RS_DEVICE void count_by_hand(const ByHandState& state, std::uint32_t length) {
  stages::count_shared(state.packets, state.alone);
  stages::add_shared(state.bytes, length, state.alone);
}

RS_DEVICE void rewrite_by_hand(stages::PacketView& packet) {
  stages::write_field(packet, stages::Field::kIpv4Ttl, {0, kNewTtl});
  stages::write_field(packet, stages::Field::kIpv4Dst, {0, kNewDestination});
}

/// false: dropped.
template <int Stages>
RS_DEVICE bool by_hand(stages::PacketView& packet, const ByHandState& state) {
  stages::ParseOptions options;
  options.tunnels = false;  // nothing below asks for them
  stages::parse(packet, options);
  if constexpr (Stages == 8) {
    if (packet.headers.malformed || packet.headers.outer.l3 != stages::L3::kIpv4 ||
        packet.data[packet.headers.outer.l3_offset + 12] != 10) {
      return false;
    }
  }
  if constexpr (Stages > 1) {
    if (!is_udp_to(packet, 1, 1023)) return false;
    count_by_hand(state, packet.length);
    rewrite_by_hand(packet);
  }
  if constexpr (Stages == 8) {
    const stages::FieldValue address{0, kPing};
    if (stages::run_icmp_echo(packet, {false, 1, &address}, {})) return true;
    const stages::LoadBalanceParameters& stored = *state.backends;
    stages::run_load_balance(
        packet, {stages::HashOver::kFiveTuple, false, stored.of_bucket, stored.backends});
  }
  stages::swap_macs(packet);
  return true;
}

}  // namespace ringside::bench
