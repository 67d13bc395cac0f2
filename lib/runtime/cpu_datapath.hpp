// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU data path: lcores move mbufs between the PMD's own queues. They touch no packet data, so
// that the buffers may lie in GPU memory.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "lib/dpdk/eth_port.hpp"
#include "lib/runtime/datapath.hpp"

namespace ringside {

class CpuDatapath final : public DatapathEngine {
 public:
  /// Throws a usage error when EAL has fewer worker lcores than `nb_cores`.
  CpuDatapath(const RuntimeConfig& config, const std::vector<std::unique_ptr<EthPort>>& ports);
  ~CpuDatapath() override { halt(); }

  void start(const ForwardMode& mode, std::uint32_t tx_first) override;
  void stop() override { halt(); }
  bool running() const override { return running_; }
  void port_started(std::uint16_t) override {}
  void port_stopping(std::uint16_t) override {}
  PortStats port_stats(std::uint16_t) override { return {}; }
  std::vector<StreamStats> stream_stats() override;
  void clear_stream_stats() override;
  std::vector<std::string> take_events() override { return {}; }
  std::string describe() const override;
  std::uint16_t max_queues(std::uint16_t port) const override;

 private:
  /// Written by its lcore only.
  struct Counters {
    std::atomic<std::uint64_t> rx_packets{0}, rx_bytes{0}, tx_packets{0}, tx_bytes{0};
    std::atomic<std::uint64_t> consumed{0}, dropped{0};
  };
  struct Stream {
    std::uint16_t rx_port, tx_port, rx_queue, tx_queue;
    alignas(64) Counters counters;
    StreamStats base{};
  };
  struct Worker {
    CpuDatapath* owner;
    unsigned lcore;
    std::vector<Stream*> streams;
  };

  static int run(void* worker);
  bool serve(Stream& stream) const;
  static StreamStats read(const Stream& stream);
  void halt() noexcept;

  const RuntimeConfig& config_;
  std::deque<Stream> streams_;
  std::vector<Worker> workers_;
  bool sends_ = false;
  bool running_ = false;
  std::atomic<bool> exit_{false};
};

}  // namespace ringside
