// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the launcher tells the preload library: the ports and what they are wired to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/softcx/fault/plan.hpp"

namespace softcx {

enum class WireKind : std::uint8_t { kLoop, kCross, kPcap, kNetdev, kNull };

struct WireConfig {
  WireKind kind = WireKind::kLoop;
  std::uint32_t peer = 0;      ///< cross: index of the other port
  std::string capture_in;      ///< pcap: empty for none
  std::string capture_out;     ///< pcap: empty for none
  std::uint64_t loops = 1;     ///< pcap: passes over the capture, 0 for ever
  bool pad = false;            ///< pcap: pad frames to 60 bytes
  std::string interface_name;  ///< netdev
  int socket = -1;             ///< netdev: inherited AF_PACKET socket
};

struct PortConfig {
  std::uint32_t index = 0;
  std::string bdf, ibdev, uverbs, netdev;
  std::string wire_end;  ///< the netdev whose being up is the carrier of `netdev`
  WireConfig wire;
};

struct Config {
  std::string root;
  int report_fd = -1;
  std::size_t engines = 0;            ///< 0: as many as the library thinks best
  std::uint64_t line_bits_per_s = 0;  ///< of all ports; 0: frames take no time
  std::vector<PortConfig> ports;
  FaultPlan faults;
  bool sanitize = false;
  std::uint32_t clock_khz = 1'000'000;  ///< of the free-running counters
  bool real_time = false;               ///< the ports keep real time
};

/// Reads the file that SOFTCX_CONFIG names. Throws ringside::Error.
Config load_config();

}  // namespace softcx
