// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What commands share: the runtime, the output, and what testpmd remembers between commands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/cli/output.hpp"
#include "lib/cli/rates.hpp"
#include "lib/cli/reports.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::cli {

class Session {
 public:
  using Clock = std::uint64_t (*)();

  /// Both outlive the session.
  Session(
      Runtime& runtime, Output& output, Clock clock = [] { return monotonic_ns(); });

  Runtime& runtime() noexcept { return runtime_; }
  Output& out() noexcept { return output_; }

  /// The mode of the next start.
  const std::string& mode() const noexcept { return mode_; }
  void set_mode(const std::string& mode);

  /// The ports that a `<port>|all` word names; none, after saying so, for an unknown port.
  std::vector<std::uint16_t> select_ports(std::string_view word);
  std::vector<PortInfo> port_infos();

  /// Bursts first, then forwarding; prints the banner. False, after saying why, when it cannot.
  bool start(std::uint32_t tx_first);
  /// Prints the statistics of the run. False when it did not run or did not stop.
  bool stop();

  void show_port_stats(std::uint16_t port);
  void clear_port_stats(std::uint16_t port);
  void show_forward_stats();
  void clear_forward_stats();

  void mark_port_stopped(std::uint16_t port, bool stopped);
  bool port_stopped(std::uint16_t port) const { return stopped_ports_.contains(port); }

  /// Prints what stopped a stream since the last call.
  void print_events();
  /// The same as text; empty when nothing happened.
  std::string take_event_text();

  void request_quit() noexcept { quit_ = true; }
  bool quit_requested() const noexcept { return quit_; }

 private:
  void begin_run();

  Runtime& runtime_;
  Output& output_;
  Clock clock_;
  std::string mode_;
  bool quit_ = false;
  std::set<std::uint16_t> stopped_ports_;
  std::map<std::uint16_t, RateMeter> rates_;
  std::map<std::uint16_t, PortStats> run_begin_;  ///< counters that `show fwd stats` starts from
};

}  // namespace ringside::cli
