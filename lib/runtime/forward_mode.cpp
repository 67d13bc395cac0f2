// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/forward_mode.hpp"

#include <fmt/format.h>

#include <array>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

constexpr std::array kModes{
    ForwardMode{.name = "invert", .receives = true, .sends = true, .on_cpu = false},
    ForwardMode{.name = "io", .receives = true, .sends = true, .on_cpu = true},
    ForwardMode{.name = "mac", .receives = true, .sends = true, .on_cpu = false},
    ForwardMode{.name = "macswap", .receives = true, .sends = true, .on_cpu = false},
    ForwardMode{.name = "rxonly", .receives = true, .sends = false, .on_cpu = true},
    ForwardMode{.name = "txonly", .receives = false, .sends = true, .on_cpu = false},
};

bool available(const ForwardMode& mode, Datapath datapath) {
  return datapath != Datapath::kCpu || mode.on_cpu;
}

}  // namespace

std::span<const ForwardMode> all_forward_modes() {
  return kModes;
}

std::vector<std::string> forward_mode_names(Datapath datapath) {
  std::vector<std::string> names;
  for (const ForwardMode& mode : kModes) {
    if (available(mode, datapath)) names.emplace_back(mode.name);
  }
  return names;
}

const ForwardMode& find_forward_mode(std::string_view name, Datapath datapath) {
  for (const ForwardMode& mode : kModes) {
    if (mode.name == name && available(mode, datapath)) return mode;
  }
  throw usage_error(
      fmt::format("unknown forward mode {}", name),
      fmt::format("the {} data path has {}", datapath == Datapath::kCpu ? "CPU" : "GPU",
                  fmt::join(forward_mode_names(datapath), ", ")));
}

}  // namespace ringside
