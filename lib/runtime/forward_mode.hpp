// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The forward modes, what they need of their queues, and which data path has them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/runtime/runtime.hpp"

namespace ringside {

struct ForwardMode {
  std::string_view name;  ///< also of the kernel
  bool receives;
  bool sends;
  bool on_cpu;  ///< the CPU data path has it too
};

std::span<const ForwardMode> all_forward_modes();
std::vector<std::string> forward_mode_names(Datapath datapath);
/// Throws usage_error that lists the known modes.
const ForwardMode& find_forward_mode(std::string_view name, Datapath datapath);

}  // namespace ringside
