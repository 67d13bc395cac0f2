// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx_calls.hpp
#pragma once

#include "lib/device/impl/tx_content.hpp"
#include "lib/device/impl/tx_cqe.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_calls.hpp"

namespace ringside {

template <class Queue>
template <Scope S, class PacketOf>
RS_DEVICE TxBatch TxCalls<Queue>::send(S& scope, std::uint32_t count, PacketOf packet_of,
                                       std::uint64_t timeout_ns, TxNotify notify) {
  using Content = PacketType<PacketOf>;
  const TxBatch batch = queue().reserve(scope, send_blocks<Content>(count), timeout_ns,
                                        notify_block<Content>(notify, count));
  if (batch.status != TxStatus::kOk) return batch;
  write_packets(scope, queue().ring(), batch, count, packet_of);
  queue().commit(scope, batch);
  return batch;
}

template <class Queue>
RS_DEVICE void TxCalls<Queue>::write(const TxBatch& batch, std::uint32_t i,
                                     const TxPacket& packet) const {
  write_wqe(queue().ring(), batch.first + i, packet, batch.asks(i) ? kCeAlways : kCeOnError);
}

template <class Queue>
template <Scope S>
RS_DEVICE TxStatus TxCalls<Queue>::poll_last(S& scope, std::uint64_t timeout_ns) {
  return queue().poll_at(scope, queue().asked(), timeout_ns);
}

template <class Queue>
template <Scope S>
RS_DEVICE TxStatus TxCalls<Queue>::poll_one(S& scope, std::uint64_t timeout_ns) {
  return queue().take_some(scope, 1, timeout_ns);
}

template <class Queue>
template <Scope S>
RS_DEVICE TxStatus TxCalls<Queue>::poll_all(S& scope, std::uint64_t timeout_ns) {
  return queue().take_some(scope, kAllCqes, timeout_ns);
}

}  // namespace ringside
