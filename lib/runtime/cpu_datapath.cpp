// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/cpu_datapath.hpp"

#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside {
namespace {

/// Single writer, so no locked instruction.
void count(std::atomic<std::uint64_t>& counter, std::uint64_t by) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

std::uint64_t bytes_of(std::span<rte_mbuf* const> mbufs) noexcept {
  std::uint64_t bytes = 0;
  for (const rte_mbuf* mbuf : mbufs) bytes += mbuf->pkt_len;
  return bytes;
}

}  // namespace

CpuDatapath::CpuDatapath(const RuntimeConfig& config,
                         const std::vector<std::unique_ptr<EthPort>>& ports)
    : config_(config) {
  const std::vector<unsigned> lcores = Eal::workers();
  if (config.nb_cores == 0 || config.nb_cores > lcores.size()) {
    throw usage_error(
        fmt::format("--nb-cores {}", config.nb_cores),
        fmt::format("EAL has {} lcores beside the main one, name more with -l", lcores.size()));
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::uint16_t peer = ports[peer_of(i, ports.size())]->id();
    for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
      Stream& stream = streams_.emplace_back();
      stream.rx_port = ports[i]->id();
      stream.tx_port = peer;
      stream.rx_queue = q;
      stream.tx_queue = static_cast<std::uint16_t>(q % config.tx_queues);
    }
  }
  const std::size_t cores = std::min(std::size_t{config.nb_cores}, streams_.size());
  for (std::size_t i = 0; i < cores; ++i) workers_.push_back({this, lcores[i], {}});
  for (Stream& stream : streams_) {
    // By send queue: two lcores must not share one.
    const std::size_t send_queue = std::size_t{stream.tx_port} * config.tx_queues + stream.tx_queue;
    workers_[send_queue % cores].streams.push_back(&stream);
  }
}

void CpuDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  if (tx_first != 0) {
    throw usage_error("start tx_first on the CPU data path",
                      "it makes no packets; use --datapath=gpu");
  }
  sends_ = mode.sends;
  clear_stream_stats();
  exit_.store(false, std::memory_order_relaxed);
  running_ = true;
  for (Worker& worker : workers_) rte_eal_remote_launch(&CpuDatapath::run, &worker, worker.lcore);
}

void CpuDatapath::halt() noexcept {
  if (!running_) return;
  exit_.store(true, std::memory_order_relaxed);
  for (const Worker& worker : workers_) rte_eal_wait_lcore(worker.lcore);
  running_ = false;
}

int CpuDatapath::run(void* argument) {
  const auto& worker = *static_cast<const Worker*>(argument);
  Relax idle;
  while (!worker.owner->exit_.load(std::memory_order_relaxed)) {
    bool moved = false;
    for (Stream* stream : worker.streams) moved = worker.owner->serve(*stream) || moved;
    if (moved) {
      idle.reset();
    } else {
      idle.relax();
    }
  }
  return 0;
}

bool CpuDatapath::serve(Stream& stream) const {
  std::array<rte_mbuf*, kMaxBurst> mbufs;
  const std::uint16_t received =
      rte_eth_rx_burst(stream.rx_port, stream.rx_queue, mbufs.data(), config_.burst);
  if (received == 0) return false;
  const std::span all(mbufs.data(), received);
  const std::uint64_t bytes = bytes_of(all);
  count(stream.counters.rx_packets, received);
  count(stream.counters.rx_bytes, bytes);
  if (!sends_) {
    rte_pktmbuf_free_bulk(all.data(), received);
    count(stream.counters.consumed, received);
    return true;
  }
  const std::uint16_t sent =
      rte_eth_tx_burst(stream.tx_port, stream.tx_queue, all.data(), received);
  const auto rest = all.subspan(sent);  // those sent are the PMD's now
  count(stream.counters.tx_packets, sent);
  count(stream.counters.tx_bytes, bytes - bytes_of(rest));
  count(stream.counters.dropped, rest.size());
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
  return true;
}

StreamStats CpuDatapath::read(const Stream& stream) {
  const auto value = [](const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  const Counters& now = stream.counters;
  const std::uint64_t dropped = value(now.dropped) - stream.base.dropped;
  return StreamStats{.rx_port = stream.rx_port,
                     .rx_queue = stream.rx_queue,
                     .tx_port = stream.tx_port,
                     .tx_queue = stream.tx_queue,
                     .rx_packets = value(now.rx_packets) - stream.base.rx_packets,
                     .rx_bytes = value(now.rx_bytes) - stream.base.rx_bytes,
                     .rx_errors = 0,
                     .tx_packets = value(now.tx_packets) - stream.base.tx_packets,
                     .tx_bytes = value(now.tx_bytes) - stream.base.tx_bytes,
                     .tx_errors = 0,
                     .consumed = value(now.consumed) - stream.base.consumed,
                     .dropped = dropped,
                     .drop_causes = {{"send queue full", dropped}},
                     .error = {}};
}

std::vector<StreamStats> CpuDatapath::stream_stats() {
  std::vector<StreamStats> stats;
  for (const Stream& stream : streams_) stats.push_back(read(stream));
  return stats;
}

void CpuDatapath::clear_stream_stats() {
  for (Stream& stream : streams_) {
    stream.base = {};
    stream.base = read(stream);
  }
}

std::string CpuDatapath::describe() const {
  return fmt::format("the PMD's queues on {} lcore{}, buffers in {} memory", workers_.size(),
                     workers_.size() == 1 ? "" : "s",
                     is_for_gpu(config_.mempool) ? "GPU" : "host");
}

std::uint16_t CpuDatapath::max_queues(std::uint16_t port) const {
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(port, &info);
  return std::min(info.max_rx_queues, info.max_tx_queues);
}

}  // namespace ringside
