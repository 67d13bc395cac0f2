// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// SIGINT, SIGTERM and SIGHUP as something that a wait can watch.
#pragma once

#include "lib/base/unique_fd.hpp"

namespace ringside::cli {

/// One at a time in a process. SIGPIPE is ignored, so that a reader of our output may leave.
class StopSignal {
 public:
  /// Until started_up(), a signal ends the process after kStartUpLimitSeconds: initialisation of
  /// EAL cannot be interrupted.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void started_up() noexcept;
  bool requested() const noexcept;
  /// Readable once a signal came; never read from.
  int fd() const noexcept { return read_end_.get(); }

  static constexpr unsigned kStartUpLimitSeconds = 2;

 private:
  UniqueFd read_end_;
  UniqueFd write_end_;
};

enum class Wake { kInput, kStop, kTimeout };

/// Waits until `input` (-1: none) can be read or has ended, a stop signal, or `timeout_ms`.
Wake wait_for_input(int input, const StopSignal& stop, int timeout_ms);

}  // namespace ringside::cli
