// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// SIGINT, SIGTERM and SIGHUP as something that a wait can watch.
#pragma once

#include <cstdint>

#include "lib/base/unique_fd.hpp"

namespace ringside::cli {

/// One at a time in a process. SIGPIPE is ignored, so that a reader of our output may leave.
/// A signal that comes kImpatientNs or more after the first one ends the process at once; sooner it
/// is taken for the same wish, sent to the process and to its group.
class StopSignal {
 public:
  /// Until started_up(), a signal ends the process after kStartUpLimitSeconds: initialisation of
  /// EAL cannot be interrupted.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void started_up() noexcept;
  /// From here the process has kClosingLimitSeconds to its end, since a driver's commands need not
  /// end, nor what libraries do at its exit.
  void closing() noexcept;
  /// What is being done then, a literal; told where it does not end.
  void closing_step(const char* step) noexcept;
  bool requested() const noexcept;
  /// Readable once a signal came; never read from.
  int fd() const noexcept { return read_end_.get(); }

  static constexpr unsigned kStartUpLimitSeconds = 2;
  static constexpr unsigned kClosingLimitSeconds = 10;
  static constexpr std::uint64_t kImpatientNs = 500'000'000;

 private:
  UniqueFd read_end_;
  UniqueFd write_end_;
  bool closing_ = false;
};

enum class Wake { kInput, kStop, kTimeout };

/// Waits until `input` (-1: none) can be read or has ended, a stop signal, or `timeout_ms`.
Wake wait_for_input(int input, const StopSignal& stop, int timeout_ms);

}  // namespace ringside::cli
