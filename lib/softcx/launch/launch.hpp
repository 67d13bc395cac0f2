// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `softcx run`: a command in a private view of the machine that has software ConnectX ports.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softcx {

struct LaunchRequest {
  std::vector<std::string> wires;      ///< as given to --port, in port order
  std::optional<std::size_t> engines;  ///< engine threads; by default one a group of joined ports,
                                       ///< as far as the CPUs suffice
  std::string line_rate;               ///< as given to --line-rate; empty: frames take no time
  std::string clock;                   ///< as given to --clock; empty: a counter of 1 GHz
  std::vector<std::string> faults;     ///< as given to --fault
  bool sanitize = false;               ///< as asked for by --sanitize
  std::vector<std::string> command;    ///< program and arguments
};

/// Exit status of a run with --sanitize whose command succeeded, but broke a rule of the NIC.
inline constexpr int kBrokenRules = 66;
/// Of one whose command succeeded, but of which a process that opened a port left no report.
inline constexpr int kNotJudged = 67;

/// Runs the command to its end and prints what its ports did to stderr. Returns its exit status,
/// 128 + N if signal N ended it, 127 if it was not found, 126 if it cannot be executed; in place of
/// success kBrokenRules or kNotJudged, where that is asked for. Throws ringside::Error if the
/// request is wrong or the view cannot be made.
int launch(const LaunchRequest& request);

}  // namespace softcx
