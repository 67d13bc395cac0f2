// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The send doorbells of one UAR page, and the send queues bound to it. A doorbell word makes the
// engine look at the doorbell records of all queues of the page, since UARs are shared and a ring
// may be overwritten by the next one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/softcx/data/doorbell_audit.hpp"
#include "lib/softcx/data/transmitter.hpp"
#include "lib/softcx/nic/objects.hpp"

namespace softcx {

/// A send queue as the engine schedules it. Dropped and built anew at each quiescent point.
struct ScheduledSq {
  Sq* sq = nullptr;
  Transmitter* transmitter = nullptr;
  bool active = false;  ///< is on the engine's list of queues with work

  bool has_work() const noexcept {
    // The state first, with acquire: in reset the indexes are the control path's.
    if (sq->state.load(std::memory_order_acquire) == QueueState::kReset) return false;
    return sq->consumer != 0 && static_cast<std::uint16_t>(sq->consumer) != sq->producer;
  }
};

class DoorbellPage {
 public:
  /// `queues`: those bound to the page. Takes the rings that lie there already; one that names a
  /// queue that is gone is no violation.
  DoorbellPage(const Device& device, const Uar& uar, std::span<ScheduledSq> queues) noexcept;

  /// Takes new rings. True: queues of the page may have work.
  bool poll() noexcept;
  /// The part of the audit that needs time. Call it now and then.
  void check(std::uint64_t now_ns) noexcept {
    if (audit_) audit_->check(now_ns);
  }
  std::span<ScheduledSq> queues() noexcept { return queues_; }

 private:
  enum class Origin : std::uint8_t { kSetUp, kPoll };

  /// What lies behind the doorbell word of a BlueFlame buffer: the other 56 bytes of a WQE.
  using Tail = std::array<std::uint64_t, ringside::kWqeBasicBlock / sizeof(std::uint64_t) - 1>;

  bool take(Origin origin) noexcept;
  Tail read_tail(std::size_t buffer) const noexcept;
  /// A ring that brought a WQE must have brought the one that lies in the ring.
  void check_blue_flame(std::size_t buffer, std::uint64_t word) noexcept;
  void accept(std::uint64_t word, std::size_t buffer, Origin origin) noexcept;
  void look_at(ScheduledSq& queue, bool named) noexcept;
  void check_ring(const Sq& sq, std::uint16_t end, std::size_t buffer) noexcept;

  const Device& device_;
  const Uar& uar_;
  std::span<ScheduledSq> queues_;
  std::array<std::uint64_t*, 2> words_;  ///< of the two BlueFlame buffers
  std::array<Tail, 2> tails_{};          ///< what they held when they were last looked at
  std::optional<DoorbellAudit> audit_;
};

}  // namespace softcx
