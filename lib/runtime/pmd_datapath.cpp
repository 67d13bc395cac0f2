// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/pmd_datapath.hpp"

#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/log.hpp"
#include "lib/base/relax.hpp"
#include "lib/dpdk/eal.hpp"

namespace ringside {
namespace {

/// Beside what finishing its streams may take: a call of a driver that is under way.
constexpr std::uint64_t kHaltMs = 2000;

}  // namespace

PmdDatapath::PmdDatapath(const RuntimeConfig& config,
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
      PmdStream& stream = streams_.emplace_back();
      stream.index = streams_.size() - 1;
      stream.rx_port = ports[i]->id();
      stream.tx_port = peer;
      stream.rx_queue = q;
      stream.tx_queue = static_cast<std::uint16_t>(q % config.tx_queues);
    }
  }
  const std::size_t cores = std::min(std::size_t{config.nb_cores}, streams_.size());
  for (std::size_t i = 0; i < cores; ++i) workers_.emplace_back(this, lcores[i]);
  for (PmdStream& stream : streams_) {
    // By send queue: two lcores must not share one.
    const std::size_t send_queue = std::size_t{stream.tx_port} * config.tx_queues + stream.tx_queue;
    workers_[send_queue % cores].streams.push_back(&stream);
  }
}

void PmdDatapath::run_lcores() {
  exit_.store(false, std::memory_order_relaxed);
  running_ = true;
  for (Worker& worker : workers_) rte_eal_remote_launch(&PmdDatapath::run, &worker, worker.lcore);
}

void PmdDatapath::halt() {
  if (!running_) return;
  exit_.store(true, std::memory_order_relaxed);
  for (const Worker& worker : workers_) {
    if (ends(worker)) continue;
    const PmdStream* const stream = worker.stream.load(std::memory_order_relaxed);
    throw Error(fmt::format("lcore {} does not end: {}", worker.lcore,
                            stream == nullptr ? "it has not begun"
                                              : fmt::format("port {} queue {}, {}", stream->rx_port,
                                                            stream->rx_queue, at(*stream))),
                "end the program: what the lcore uses cannot be freed");
  }
  running_ = false;
}

bool PmdDatapath::ends(const Worker& worker) const noexcept {
  const Deadline deadline = Deadline::after_ms(kHaltMs + finish_ms() * worker.streams.size());
  Relax wait;
  while (rte_eal_get_lcore_state(worker.lcore) != WAIT) {
    if (deadline.passed()) return false;
    wait.relax();
  }
  rte_eal_wait_lcore(worker.lcore);  // returns at once; acquires what the lcore has written
  return true;
}

void PmdDatapath::end() noexcept {
  try {
    halt();
  } catch (const Error& error) {
    log(LogLevel::kCritical, "{}", error.what());
    std::terminate();
  }
}

int PmdDatapath::run(void* argument) {
  auto& worker = *static_cast<Worker*>(argument);
  worker.owner->enter();
  Relax idle;
  while (!worker.owner->exit_.load(std::memory_order_relaxed)) {
    bool moved = false;
    for (PmdStream* stream : worker.streams) {
      worker.stream.store(stream, std::memory_order_relaxed);
      moved = worker.owner->serve(*stream) || moved;
    }
    if (moved) {
      idle.reset();
    } else {
      idle.relax();
    }
  }
  for (PmdStream* stream : worker.streams) {
    worker.stream.store(stream, std::memory_order_relaxed);
    worker.owner->finish(*stream);
  }
  return 0;
}

std::vector<StreamStats> PmdDatapath::stream_stats() {
  std::vector<StreamStats> stats;
  for (const PmdStream& stream : streams_) stats.push_back(stream.statistics());
  return stats;
}

void PmdDatapath::clear_stream_stats() {
  for (PmdStream& stream : streams_) stream.begin_statistics();
}

std::uint16_t PmdDatapath::max_queues(std::uint16_t port) const {
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(port, &info);
  return std::min(info.max_rx_queues, info.max_tx_queues);
}

}  // namespace ringside
