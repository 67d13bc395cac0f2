// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A wire with the faults of `softcx run --fault` that lie outside the NIC's queues: a link that
// goes down or comes up late, a wire that nothing passes, an E-Switch that gives a VF its own
// frames only. It stands between its port and everything else, in both directions, so that ports
// without such a fault pay nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "lib/softcx/fault/point.hpp"
#include "lib/softcx/wire/netdev_link.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class DisturbedWire final : public Wire, public Receiver {
 public:
  DisturbedWire(std::unique_ptr<Wire> wire, NetdevLink link, const FaultPlan& plan,
                std::uint32_t port);
  /// Does the port have a fault of this wire's?
  static bool wanted(const FaultPlan& plan, std::uint32_t port);

  void attach(std::span<Receiver* const> ports) override { wire_->attach(ports); }
  Receiver* front(Receiver& port) override;
  bool transmit(const Frame& frame) override;
  const Frame* peek() override;
  void pop() override;
  bool waits_for_receiver() const override { return wire_->waits_for_receiver(); }
  void push() override;
  void flush() override { wire_->flush(); }
  int poll_fd() const override { return wire_->poll_fd(); }
  WireReport report() const override;

  void receive_batch(std::span<const Frame> frames) override;

 private:
  enum class Passage : std::uint8_t { kOpen, kStalled, kDown };

  Passage passage() noexcept;
  /// The link goes down or up when the fault says so, and is what the netdev says: looked at now
  /// and then, and at once while it is down.
  bool link_up() noexcept;
  void receive(const Frame& frame);
  bool is_foreign(const Frame& frame) noexcept;
  void count_passed() noexcept;

  std::unique_ptr<Wire> wire_;
  NetdevLink link_;
  std::optional<FaultPoint> down_, stall_;
  bool untrusted_;
  Receiver* port_ = nullptr;
  bool up_ = true, held_down_ = false;
  std::uint64_t looked_ns_ = 0;
  std::array<std::uint8_t, 6> mac_{};
  WireReport lost_;
};

}  // namespace softcx
