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
  /// Throws Error as halt() does.
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
  // Who derives calls end() in its destructor: serve() is gone after that.
  ~PmdDatapath() override = default;

  /// In an lcore, before the first serve().
  virtual void enter() {}
  /// One look at a stream, in the lcore that has it. true: something moved.
  virtual bool serve(PmdStream& stream) = 0;
  /// In the lcore, after the last serve() of its streams. Takes at most finish_ms().
  virtual void finish(PmdStream&) {}
  virtual std::uint64_t finish_ms() const noexcept { return 0; }
  /// What an lcore that serves or finishes a stream is at, in words. Any thread.
  virtual const char* at(const PmdStream&) const noexcept { return "serving it"; }

  void run_lcores();
  /// Bounded. Throws Error that names an lcore which does not end: what it uses must stay then, and
  /// another call waits again.
  void halt();
  /// The same, and ends the program when one does not end.
  void end() noexcept;
  std::size_t lcores() const noexcept { return workers_.size(); }

  const RuntimeConfig& config_;
  std::deque<PmdStream> streams_;

 private:
  struct Worker {
    PmdDatapath* owner;
    unsigned lcore;
    std::vector<PmdStream*> streams;
    std::atomic<const PmdStream*> stream{nullptr};  ///< in hand, for whoever waits for the lcore
  };
  static int run(void* worker);
  bool ends(const Worker& worker) const noexcept;

  std::deque<Worker> workers_;
  bool running_ = false;
  std::atomic<bool> exit_{false};
};

}  // namespace ringside
