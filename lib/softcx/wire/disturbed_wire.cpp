// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/disturbed_wire.hpp"

#include <algorithm>

#include "lib/base/clock.hpp"

namespace softcx {
namespace {

/// In one look: a capture that is replayed for ever may have no frame for the port at all.
constexpr unsigned kMostSkipped = 1024;
constexpr std::uint64_t kLookNs = 10'000'000;
constexpr std::array<std::uint8_t, 6> kBroadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

std::optional<FaultPoint> point(const FaultPlan& plan, FaultKind kind, std::uint32_t port) {
  const FaultOrder* const order = plan.find(kind, port);
  return order == nullptr ? std::nullopt : std::optional<FaultPoint>(*order);
}

}  // namespace

DisturbedWire::DisturbedWire(std::unique_ptr<Wire> wire, NetdevLink link, const FaultPlan& plan,
                             std::uint32_t port)
    : wire_(std::move(wire)),
      link_(std::move(link)),
      down_(point(plan, FaultKind::kLinkDown, port)),
      stall_(point(plan, FaultKind::kStalledWire, port)),
      untrusted_(plan.find(FaultKind::kVfUntrusted, port) != nullptr) {}

bool DisturbedWire::wanted(const FaultPlan& plan, std::uint32_t port) {
  constexpr FaultKind kMine[] = {FaultKind::kLinkDelay, FaultKind::kLinkDown,
                                 FaultKind::kStalledWire, FaultKind::kVfUntrusted};
  return std::any_of(std::begin(kMine), std::end(kMine),
                     [&](FaultKind kind) { return plan.find(kind, port) != nullptr; });
}

Receiver* DisturbedWire::front(Receiver& port) {
  port_ = &port;
  return this;
}

bool DisturbedWire::link_up() noexcept {
  const std::uint64_t now = ringside::monotonic_ns();
  const bool hold = down_ && down_->lasting(now);
  if (hold != held_down_) {
    held_down_ = hold;
    link_.set_carrier(!hold);
    looked_ns_ = 0;
  }
  if (!up_ || now - looked_ns_ >= kLookNs) {
    looked_ns_ = now;
    up_ = link_.up();
    mac_ = link_.mac();
  }
  return up_;
}

DisturbedWire::Passage DisturbedWire::passage() noexcept {
  if (!link_up()) return Passage::kDown;
  const bool stalled = stall_ && stall_->lasting(ringside::monotonic_ns());
  return stalled ? Passage::kStalled : Passage::kOpen;
}

void DisturbedWire::count_passed() noexcept {
  if (down_) down_->pass(1);
  if (stall_) stall_->pass(1);
}

bool DisturbedWire::is_foreign(const Frame& frame) noexcept {
  if (!untrusted_ || frame.segments.empty() || frame.segments[0].length < mac_.size()) return false;
  const std::uint8_t* const destination = frame.segments[0].data;
  const auto is = [&](const std::array<std::uint8_t, 6>& address) {
    return std::equal(address.begin(), address.end(), destination);
  };
  return !is(mac_) && !is(kBroadcast);
}

bool DisturbedWire::transmit(const Frame& frame) {
  switch (passage()) {
    case Passage::kStalled:
      return false;
    case Passage::kDown:  // the port takes it, and it goes nowhere
      ++lost_.link_down_out;
      lost_.link_down_bytes_out += frame.length;
      return true;
    case Passage::kOpen:
      break;
  }
  count_passed();
  return wire_->transmit(frame);
}

void DisturbedWire::receive_batch(std::span<const Frame> frames) {
  for (const Frame& frame : frames) receive(frame);  // the fault strikes at its packet exactly
}

void DisturbedWire::receive(const Frame& frame) {
  const Passage now = passage();
  if (now != Passage::kOpen) {  // what another port's wire brings cannot wait
    ++(now == Passage::kDown ? lost_.link_down_in : lost_.stalled_in);
    return;
  }
  count_passed();
  if (is_foreign(frame)) {
    ++lost_.foreign_packets;
    return;
  }
  port_->receive_batch({&frame, 1});
}

const Frame* DisturbedWire::peek() {
  const Passage now = passage();
  if (now == Passage::kStalled) return nullptr;
  const Frame* frame = wire_->peek();
  if (now == Passage::kDown) {
    // A replay waits for the link; a medium goes on without this port.
    if (wire_->waits_for_receiver()) return nullptr;
    for (unsigned n = 0; frame != nullptr && n < kMostSkipped; ++n, frame = wire_->peek()) {
      ++lost_.link_down_in;
      wire_->pop();
    }
    return nullptr;
  }
  for (unsigned n = 0; frame != nullptr && is_foreign(*frame); ++n, frame = wire_->peek()) {
    if (n == kMostSkipped) return nullptr;
    ++lost_.foreign_packets;
    wire_->pop();
  }
  return frame;
}

void DisturbedWire::pop() {
  count_passed();
  wire_->pop();
}

void DisturbedWire::push() {
  link_up();
  wire_->push();
}

WireReport DisturbedWire::report() const {
  WireReport report = wire_->report();
  report.stalled_in = lost_.stalled_in;
  report.link_down_in = lost_.link_down_in;
  report.link_down_out = lost_.link_down_out;
  report.link_down_bytes_out = lost_.link_down_bytes_out;
  report.foreign_packets = lost_.foreign_packets;
  return report;
}

}  // namespace softcx
