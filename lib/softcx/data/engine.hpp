// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The NIC's own thread: polls doorbells and wires, moves packets, writes completions.
#pragma once

#include <memory>
#include <vector>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

struct EnginePort {
  Device* device;
  std::unique_ptr<Wire> wire;
};

/// What a port did, for the report.
struct PortReport {
  const Device* device;
  WireReport wire;
};

class Engine : public EngineControl {
 public:
  /// Ends the thread (within one round of its loop) and flushes the wires. No packet moves after
  /// it; synchronize() and wake() return at once. A second call does nothing.
  virtual void stop() = 0;
  /// One entry a port. Call it after stop().
  virtual std::vector<PortReport> reports() const = 0;
};

/// Starts the engine thread for `ports` and sets Device::engine. The thread may run on every CPU
/// that the process had at its start. Destruction stops the thread. Throws ringside::Error.
std::unique_ptr<Engine> start_engine(std::vector<EnginePort> ports);

}  // namespace softcx
