// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/injection.hpp"

#include <algorithm>

#include "lib/base/clock.hpp"

namespace softcx {
namespace {

Fault injected(const FaultPoint& point) {
  return {static_cast<ringside::CqeSyndrome>(point.syndrome()), Cause::kInjected};
}

/// As if the ring had been full when a completion came.
void overrun(Cq& cq) {
  cq.failed.store(true, std::memory_order_release);
}

/// False: the queue stands still.
bool strike_send(Transmitter& transmitter, Sq& sq, FaultPoint& point) {
  switch (point.kind()) {
    case FaultKind::kStalledNic:
      return !point.lasting(ringside::monotonic_ns());
    case FaultKind::kCqOverrun:
      overrun(*sq.cq);
      break;
    default:
      transmitter.fail_next(sq, injected(point));
  }
  point.struck();
  return true;
}

}  // namespace

std::uint32_t run_with_faults(Transmitter& transmitter, Sq& sq, std::uint32_t budget) noexcept {
  if (sq.state.load(std::memory_order_acquire) != QueueState::kReady) {
    return transmitter.run(sq, budget);
  }
  std::uint64_t limit = budget;
  for (FaultPoint& point : *sq.faults) {
    if (point.distance() == 0 && !strike_send(transmitter, sq, point)) return 0;
    limit = std::min(limit, point.distance());
  }
  const std::uint64_t before = sq.consumer;
  const std::uint32_t work = transmitter.run(sq, static_cast<std::uint32_t>(limit));
  // No packet has passed in a turn that only fetched from device memory, or that flushed.
  const bool ready = sq.state.load(std::memory_order_acquire) == QueueState::kReady;
  if (ready && sq.consumer != before) {
    for (FaultPoint& point : *sq.faults) point.pass(work);
  }
  return work;
}

std::optional<Delivery> strike_receive(Rq& rq) noexcept {
  std::optional<Delivery> outcome;
  for (FaultPoint& point : *rq.faults) {
    if (point.distance() != 0) {
      point.pass(1);
      continue;
    }
    if (point.kind() == FaultKind::kCqOverrun) {
      overrun(*rq.cq);
    } else {
      fail_next(rq, injected(point));
      outcome = Delivery::kInjected;
    }
    point.struck();
  }
  return outcome;
}

}  // namespace softcx
