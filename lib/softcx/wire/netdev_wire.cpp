// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/netdev_wire.hpp"

namespace softcx {

NetdevWire::NetdevWire(const std::string& interface_name, int socket)
    : socket_(socket), receiver_(interface_name, socket), sender_(socket) {}

WireReport NetdevWire::report() const {
  WireReport report;
  report.failed_packets = sender_.failed_packets();
  report.failed_bytes = sender_.failed_bytes();
  report.unsent_packets = sender_.unsent_packets();
  report.unsent_bytes = sender_.unsent_bytes();
  report.lost_packets = receiver_.lost();
  report.truncated_packets = receiver_.truncated();
  report.waiting_packets = receiver_.waiting();
  return report;
}

}  // namespace softcx
