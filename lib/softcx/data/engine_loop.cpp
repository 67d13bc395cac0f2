// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/engine_loop.hpp"

namespace softcx {

EngineLoop::EngineLoop(std::vector<std::unique_ptr<Port>>& ports, NicClock& clock,
                       Quiescence& quiescence, const MtuReader& mtu, DeviceDma& dma)
    : ports_(ports),
      clock_(clock),
      quiescence_(quiescence),
      mtu_(mtu),
      dma_(dma),
      idle_(quiescence) {
  wait_set_.push_back({quiescence.wake_fd(), POLLIN, 0});
  for (const auto& port : ports_) {
    const int fd = port->wire().poll_fd();
    if (fd >= 0) wait_set_.push_back({fd, POLLIN, 0});
    wires_bring_frames_ |= fd >= 0 || port->wire().waits_for_receiver();
  }
}

void EngineLoop::run(const std::atomic<bool>& stop) {
  quiescence_.leave_sleep();
  schedule_.build(ports_);
  // Acquire: pairs with the release of stop(); nothing hangs on it but the order of the flush.
  while (!stop.load(std::memory_order_acquire)) {
    if (round()) {
      idle_.busy();
      idle_rounds_ = 0;
    } else {
      flush_wires();
      idle_rounds_ =
          idle_.wait(clock_.now_ns(), wait_set_, schedule_.due_ns()) ? idle_rounds_ + 1 : 0;
    }
  }
  dma_.settle();
  schedule_.drop();
  for (const auto& port : ports_) port->forget();
  flushed_ = false;
  flush_wires();
  quiescence_.enter_sleep();
}

bool EngineLoop::round() {
  // Before anything else: after a sleep the pointers of `schedule_` may lead to freed objects.
  if (quiescence_.pending()) quiesce();
  const bool rung = schedule_.poll_doorbells();
  // While the engine spins, the clock takes most of the time that a ring waits to be seen. Whatever
  // is stamped gets the time of its own round.
  const bool stamps = rung || schedule_.has_work() || wires_bring_frames_;
  if (stamps || idle_rounds_ % kRoundsATick == 0) clock_.tick();
  keep_house();
  return move_packets(rung);
}

void EngineLoop::quiesce() {
  dma_.settle();
  schedule_.drop();
  for (const auto& port : ports_) port->forget();
  quiescence_.acknowledge();
  schedule_.build(ports_);
  schedule_.flush_receive_queues();  // the request may come from a queue that was put into error
}

bool EngineLoop::move_packets(bool rung) noexcept {
  bool busy = rung;
  busy |= schedule_.run_queues(clock_.now_ns());
  for (const auto& port : ports_) busy |= port->receive_from_wire(kReceiveBudget) != 0;
  for (const auto& port : ports_) port->wire().push();
  for (const auto& port : ports_) busy |= port->land_late();
  busy |= dma_.turn();
  if (busy) flushed_ = false;
  return busy;
}

void EngineLoop::keep_house() noexcept {
  if (clock_.now_ns() - housekeeping_ns_ < kHousekeepingNs) return;
  housekeeping_ns_ = clock_.now_ns();
  for (const auto& port : ports_) mtu_.refresh(port->device());
  schedule_.wake_stalled();
  schedule_.check_doorbells(housekeeping_ns_);
  schedule_.flush_receive_queues();  // those that were in error before, and got new WQEs
}

void EngineLoop::flush_wires() noexcept {
  if (flushed_) return;
  for (const auto& port : ports_) port->wire().flush();
  flushed_ = true;
}

}  // namespace softcx
