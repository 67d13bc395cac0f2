// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/pmd_stream.hpp"

#include <rte_mbuf.h>

namespace ringside {

std::uint64_t bytes_of(std::span<rte_mbuf* const> mbufs) noexcept {
  std::uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  return bytes;
}

StreamStats PmdStream::statistics() const {
  StreamStats stats{.rx_port = rx_port,
                    .rx_queue = rx_queue,
                    .tx_port = tx_port,
                    .tx_queue = tx_queue,
                    .rx_packets = counters.rx_packets.value() - base.rx_packets,
                    .rx_bytes = counters.rx_bytes.value() - base.rx_bytes,
                    .rx_errors = 0,
                    .tx_packets = counters.tx_packets.value() - base.tx_packets,
                    .tx_bytes = counters.tx_bytes.value() - base.tx_bytes,
                    .tx_generated = 0,
                    .tx_errors = 0,
                    .consumed = counters.consumed.value() - base.consumed,
                    .dropped = 0,
                    .drop_causes = {{"program", counters.dropped_by_program.value()},
                                    {"send queue full", counters.dropped_send_full.value()},
                                    {"GPU lost", counters.dropped_gpu_lost.value()}},
                    .error = {}};
  for (std::size_t i = 0; i < stats.drop_causes.size(); ++i) {
    std::uint64_t& count = stats.drop_causes[i].second;
    if (i < base.drop_causes.size()) count -= base.drop_causes[i].second;
    stats.dropped += count;
  }
  return stats;
}

void PmdStream::begin_statistics() {
  base = {};
  base = statistics();
}

}  // namespace ringside
