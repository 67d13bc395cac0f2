// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the user is told of ports while they run: links that go up and down, and at the beginning
// what a port cannot do though nothing refuses it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/runtime/nic.hpp"

namespace ringside {

class PortWatch {
 public:
  /// `promiscuous`: the user wants frames of all addresses. Links are looked at now.
  PortWatch(const std::vector<std::unique_ptr<Nic>>& nics, bool promiscuous);

  /// Looks at the links, a few times a second at most; what is new, once.
  std::vector<std::string> take_events();

 private:
  struct Link {
    std::uint16_t port;
    bool up;
  };
  std::vector<Link> links_;
  std::vector<std::string> notes_;
  std::uint64_t looked_ns_ = 0;
};

}  // namespace ringside
