// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The signals that the launcher and the namespace's init wait for, and which of them they pass on.
#pragma once

#include <csignal>

namespace softcx {

/// Blocked in the launcher and in init for good; the command gets `original` back.
class SignalWatch {
 public:
  SignalWatch();

  const sigset_t& watched() const { return watched_; }
  /// For the command, after fork and before exec.
  void restore() const;

 private:
  sigset_t watched_{};
  sigset_t original_{};
};

/// Exit status of a child as a shell gives it: 128 + N for signal N.
int exit_status(int wait_status);

}  // namespace softcx
