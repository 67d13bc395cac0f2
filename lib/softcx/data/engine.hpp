// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The NIC's own threads: each polls the doorbells and wires of its ports, moves packets, writes
// completions. Ports that hand frames to each other directly share one, so that a queue has one
// thread only and nothing on a packet's way is locked.
#pragma once

#include <memory>
#include <vector>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

struct EnginePort {
  Device* device;
  std::unique_ptr<Wire> wire;
  std::size_t group = 0;  ///< ports of one group share an engine (port_groups)
};

/// What a port did, for the report.
struct PortReport {
  const Device* device;
  WireReport wire;
};

class Engines {
 public:
  virtual ~Engines() = default;
  /// Ends the threads (within one round of their loops) and flushes the wires. No packet moves
  /// after it; the calls of Device::engine return at once. A second call does nothing.
  virtual void stop() = 0;
  /// One entry a port, in the order of the ports. Call it after stop().
  virtual std::vector<PortReport> reports() const = 0;
};

/// As many engines as there are groups, but no more than half of the `cpus`: what fills the ports,
/// and empties them, needs as many CPUs as the engines do, and two busy loops on one are slower
/// than one. At least 1.
std::size_t default_engines(std::size_t groups, std::size_t cpus) noexcept;

/// Starts `count` engine threads for `ports`, at least 1, and sets Device::engine to each port's:
/// group g is served by engine g modulo `count`. The threads may run on every CPU that the process
/// had at its start. Destruction stops them. Throws ringside::Error.
std::unique_ptr<Engines> start_engines(std::vector<EnginePort> ports, std::size_t count);

}  // namespace softcx
