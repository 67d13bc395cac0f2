// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a port is connected to. Called by the engine thread only, except for report().
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lib/softcx/nic/frame.hpp"

namespace softcx {

/// The receive side of a port, as a wire sees it.
class Receiver {
 public:
  /// Frames arrive, in this order, none of them empty. Each is delivered, or dropped and counted,
  /// before the call returns.
  virtual void receive_batch(std::span<const Frame> frames) = 0;

 protected:
  ~Receiver() = default;
};

struct Traffic {
  std::uint64_t packets = 0, bytes = 0;
};

/// What a wire adds to its port's report.
struct WireReport {
  struct Replay {
    std::uint64_t total = 0;  ///< records of all passes
    std::uint64_t left = 0;   ///< of these, not yet sent into the port
  };
  std::uint64_t cut_records = 0;     ///< sent as captured although the frame was longer
  std::optional<Replay> replay;      ///< a finite capture
  std::uint64_t failed_packets = 0;  ///< accepted by transmit(), refused later by the medium
  std::uint64_t failed_bytes = 0;
  std::uint64_t unsent_packets = 0;  ///< accepted by transmit(), never taken by the medium
  std::uint64_t unsent_bytes = 0;
  std::uint64_t lost_packets = 0;       ///< arrived, but the medium had no room for them (a socket)
  std::uint64_t truncated_packets = 0;  ///< arrived longer than a frame that the wire can take
  std::uint64_t waiting_packets = 0;    ///< taken from the medium, but not by pop()
  std::uint64_t stalled_in = 0;         ///< packets that another port sent to a stalled wire
  std::uint64_t link_down_in = 0;       ///< packets that came while the link was down
  std::uint64_t link_down_out = 0;      ///< accepted by transmit() while the link was down
  std::uint64_t link_down_bytes_out = 0;
  std::uint64_t foreign_packets = 0;  ///< for MAC addresses that the port may not receive
};

class Wire {
 public:
  virtual ~Wire() = default;
  /// Called once, before any other call: the receive sides of all ports, in order.
  virtual void attach(std::span<Receiver* const> /*ports*/) {}
  /// Called before attach(): what other wires deliver to, to reach `port`, which this wire serves.
  virtual Receiver* front(Receiver& port) { return &port; }
  /// Takes a frame that a send queue transmitted. False: the wire is full (the frame is counted as
  /// tx_wire_full by the caller).
  virtual bool transmit(const Frame& frame) = 0;
  /// The same for many, in this order. Returns what was taken.
  virtual Traffic transmit_batch(std::span<const Frame> frames) {
    Traffic taken;
    for (const Frame& frame : frames) {
      if (!transmit(frame)) continue;
      ++taken.packets;
      taken.bytes += frame.length;
    }
    return taken;
  }
  /// Does anybody read the bytes of what is transmitted? Else they need not come into the cache.
  virtual bool reads_frames() const { return true; }
  /// The next frame that arrives, or nullptr. The same frame comes again until pop().
  virtual const Frame* peek() { return nullptr; }
  virtual void pop() {}
  /// Does the wire hold its frame back while the receiver has no buffer (replay of a capture), or
  /// is such a frame lost (a real wire)?
  virtual bool waits_for_receiver() const { return false; }
  /// Called in each round of the engine: send what is batched, as much as goes now.
  virtual void push() {}
  /// Called when the engine runs idle and before it stops: write out what is buffered.
  virtual void flush() {}
  /// A descriptor that polls readable when a frame arrives, or -1.
  virtual int poll_fd() const { return -1; }
  /// Call it while the engine is stopped.
  virtual WireReport report() const { return {}; }
};

}  // namespace softcx
