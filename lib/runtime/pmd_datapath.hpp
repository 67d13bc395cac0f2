// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the data paths on the PMD's own queues have in common: streams that lcores serve, and their
// counters.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "lib/dpdk/eth_port.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/pmd_stream.hpp"

namespace ringside {

class PmdDatapath : public DatapathEngine {
 public:
  void stop() override { halt(); }
  bool running() const override { return running_; }
  void port_started(std::uint16_t) override {}
  void port_stopping(std::uint16_t) override {}
  PortStats port_stats(std::uint16_t) override { return {}; }
  std::vector<StreamStats> stream_stats() override;
  void clear_stream_stats() override;
  std::vector<std::string> take_events() override { return {}; }
  std::uint16_t max_queues(std::uint16_t port) const override;

 protected:
  /// Throws a usage error when EAL has fewer worker lcores than `nb_cores`.
  PmdDatapath(const RuntimeConfig& config, const std::vector<std::unique_ptr<EthPort>>& ports);
  // Who derives calls halt() in its destructor: serve() is gone after that.
  ~PmdDatapath() override = default;

  /// In an lcore, before the first serve().
  virtual void enter() {}
  /// One look at a stream, in the lcore that has it. true: something moved.
  virtual bool serve(PmdStream& stream) = 0;
  /// In the lcore, after the last serve() of its streams.
  virtual void finish(PmdStream&) {}

  void run_lcores();
  void halt() noexcept;
  std::size_t lcores() const noexcept { return workers_.size(); }

  const RuntimeConfig& config_;
  std::deque<PmdStream> streams_;

 private:
  struct Worker {
    PmdDatapath* owner;
    unsigned lcore;
    std::vector<PmdStream*> streams;
  };
  static int run(void* worker);

  std::vector<Worker> workers_;
  bool running_ = false;
  std::atomic<bool> exit_{false};
};

}  // namespace ringside
