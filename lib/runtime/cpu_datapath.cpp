// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/cpu_datapath.hpp"

#include <rte_ethdev.h>

#include <array>

#include "lib/base/error.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside {

void CpuDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  if (tx_first != 0) {
    throw usage_error("start tx_first on the CPU data path",
                      "it makes no packets; use --datapath=gpu");
  }
  sends_ = mode.sends;
  clear_stream_stats();
  run_lcores();
}

bool CpuDatapath::serve(PmdStream& stream) {
  std::array<rte_mbuf*, kMaxBurst> mbufs;
  const std::uint16_t received =
      rte_eth_rx_burst(stream.rx_port, stream.rx_queue, mbufs.data(), config_.burst);
  if (received == 0) return false;
  const std::span all(mbufs.data(), received);
  const std::uint64_t bytes = bytes_of(all);
  stream.counters.rx_packets += received;
  stream.counters.rx_bytes += bytes;
  if (!sends_) {
    rte_pktmbuf_free_bulk(all.data(), received);
    stream.counters.consumed += received;
    return true;
  }
  const std::uint16_t sent =
      rte_eth_tx_burst(stream.tx_port, stream.tx_queue, all.data(), received);
  const auto rest = all.subspan(sent);  // those sent are the PMD's now
  stream.counters.tx_packets += sent;
  stream.counters.tx_bytes += bytes - bytes_of(rest);
  stream.counters.dropped_send_full += rest.size();
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
  return true;
}

std::string CpuDatapath::describe(std::uint16_t) const {
  return fmt::format("the PMD's queues on {} lcore{}, buffers in {} memory", lcores(),
                     lcores() == 1 ? "" : "s", is_for_gpu(config_.mempool) ? "GPU" : "host");
}

}  // namespace ringside
