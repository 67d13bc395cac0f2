// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Sends of every content, as kernels make them: one source for a GPU and for host threads.
#pragma once

#include <cstdint>

#include "lib/device/send_queue.hpp"

namespace ringside::bench {

enum class Content : std::uint32_t {
  kPacket,
  kGather,
  kInline,
  kInlineHeader,
  kGrouped,
  kGroupedInline,
  kAt,
  kAtInline,
  kLone,  ///< a packet a batch, by BlueFlame
  kCount,
};
inline constexpr const char* kContentNames[] = {
    "packet",         "gather",    "inline",           "inline header",    "grouped",
    "grouped inline", "at a time", "inline at a time", "lone by BlueFlame"};

struct ContentArgs {
  TxQueueHandle queue;
  const std::uint8_t* bytes;  ///< of packets; the NIC reaches them by the same addresses
  std::uint64_t nic_time;     ///< of the first packet with a time; each 500 ticks after the last
  std::uint32_t batches;
  std::uint32_t batch;  ///< packets
};
inline constexpr std::uint64_t kGapTicks = 500;
inline constexpr std::uint64_t kTimeoutNs = 2'000'000'000;

/// Whether every batch was posted, and all of them sent. Collective.
template <Scope S>
RS_DEVICE bool send_content(S& scope, Content content, const ContentArgs& args) {
  SendQueue<Sharing::kExclusive> queue(args.queue);
  TxBatch sent(TxStatus::kFull);
  for (std::uint32_t turn = 0; turn < args.batches; ++turn) {
    const auto number = [&](std::uint32_t i) { return turn * args.batch + i; };
    const auto length = [&](std::uint32_t i) { return 60 + number(i) % 33; };
    const auto bytes = [&](std::uint32_t i) { return args.bytes + number(i) % 4096; };
    const auto iova = [&](std::uint32_t i) { return reinterpret_cast<std::uint64_t>(bytes(i)); };
    const auto packet = [&](std::uint32_t i) { return TxPacket{iova(i), length(i)}; };
    const auto inlined = [&](std::uint32_t i) { return TxInline<92>{bytes(i), length(i)}; };
    const auto time = [&](std::uint32_t i) { return args.nic_time + kGapTicks * number(i); };
    const auto send = [&](auto packet_of) {
      return queue.send(scope, args.batch, packet_of, kTimeoutNs);
    };
    switch (content) {
      case Content::kPacket:
      case Content::kLone:
        sent = send(packet);
        break;
      case Content::kGather:
        sent = send([&](std::uint32_t i) {
          TxGather<5> parts{
              .offload = {.insert_vlan = i % 2 == 0, .vlan_tci = static_cast<std::uint16_t>(i)}};
          for (std::uint32_t j = 0; j <= number(i) % 5; ++j) parts.add({iova(i) + j, length(i)});
          return parts;
        });
        break;
      case Content::kInline:
        sent = send(inlined);
        break;
      case Content::kInlineHeader:
        sent = send([&](std::uint32_t i) {
          return TxInlineHeader<>{bytes(i), {iova(i) + 18, length(i)}};
        });
        break;
      case Content::kGrouped:
        sent = send([&](std::uint32_t i) { return TxGrouped<>{{iova(i), length(i)}}; });
        break;
      case Content::kGroupedInline:
        sent = send([&](std::uint32_t i) { return TxGroupedInline<92>{bytes(i), length(i)}; });
        break;
      case Content::kAt:
        sent = send([&](std::uint32_t i) { return TxAt<TxPacket>{time(i), packet(i)}; });
        break;
      case Content::kAtInline:
        sent = send([&](std::uint32_t i) { return TxAt<TxInline<92>>{time(i), inlined(i)}; });
        break;
      case Content::kCount:
        break;
    }
    if (sent.status != TxStatus::kOk) return false;
  }
  return queue.poll_at(scope, sent.ticket(), kTimeoutNs) == TxStatus::kOk;
}

}  // namespace ringside::bench
