// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/port_watch.hpp"

#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/dpdk/eth_port.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kPeriodNs = 200'000'000;

std::string virtual_function_note(const Nic& nic) {
  return fmt::format(
      "port {} ({}) is a virtual function: frames for other MAC addresses than its own reach it "
      "only if the host trusts it: ip link set dev PF vf N trust on",
      nic.port(), nic.pci_address());
}

/// A device that does not answer has none either.
bool link_is_up(std::uint16_t port) noexcept {
  try {
    return EthPort::info(port).link_up;
  } catch (const Error&) {
    return false;
  }
}

std::string link_text(std::uint16_t port, bool up) {
  return up ? fmt::format("port {}: link up", port)
            : fmt::format("port {}: link down: look at the cable and at the port at its other end",
                          port);
}

}  // namespace

PortWatch::PortWatch(const std::vector<std::unique_ptr<Nic>>& nics, bool promiscuous) {
  for (const auto& nic : nics) {
    links_.push_back({nic->port(), link_is_up(nic->port())});
    if (promiscuous && nic->context().is_virtual_function()) {
      notes_.push_back(virtual_function_note(*nic));
    }
  }
}

std::vector<std::string> PortWatch::take_events() {
  std::vector<std::string> events = std::exchange(notes_, {});
  const std::uint64_t now = monotonic_ns();
  if (now - looked_ns_ < kPeriodNs) return events;
  looked_ns_ = now;
  for (Link& link : links_) {
    const bool up = link_is_up(link.port);
    if (up == link.up) continue;
    link.up = up;
    events.push_back(link_text(link.port, up));
  }
  return events;
}

}  // namespace ringside
