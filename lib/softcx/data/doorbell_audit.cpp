// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/doorbell_audit.hpp"

#include <fmt/core.h>

#include "lib/softcx/data/shared_word.hpp"

namespace softcx {
namespace {

std::uint16_t distance(std::uint16_t from, std::uint16_t to) {
  return static_cast<std::uint16_t>(to - from);
}

}  // namespace

DoorbellAudit::DoorbellAudit(const Device& device, Sq& sq) noexcept
    : device_(device),
      sq_(sq),
      rung_(load_index(sq.record->send_counter)),
      rung_by_{rung_, rung_} {}

void DoorbellAudit::rung(std::uint16_t end, std::uint16_t record, std::size_t buffer) noexcept {
  const std::uint16_t step = distance(rung_, end);
  const std::uint16_t own_step = distance(rung_by_[buffer], end);
  rung_by_[buffer] = end;
  waiting_since_ = 0;
  const bool seen_late = step > 0x7fff && own_step != 0 && own_step <= 0x7fff;
  if (!baseline_ && seen_late) return;
  // A record that was seen before its ring makes the baseline: this ring may be that one's.
  if (!baseline_ && step == 0) {
    report(RuleId::kRingAgain,
           fmt::format("ring without record: rung again for index {} with nothing posted", end));
  } else if (!baseline_ && step > distance(rung_, record) && step > 0x7fff) {
    report(RuleId::kRingBackwards, fmt::format("rung backwards, from index {} to {}", rung_, end));
  }
  baseline_ = false;
  rung_ = end;
}

void DoorbellAudit::report(RuleId rule, const std::string& how) const {
  report_broken(rule, object_name(device_, "send queue", sq_.sqn), how);
}

void DoorbellAudit::check(std::uint64_t now_ns) noexcept {
  if (sq_.state.load(std::memory_order_acquire) != QueueState::kReady) return;
  const std::uint16_t record = load_index(sq_.record->send_counter);
  // Before the first ring after a reset, a driver may still set the record back to 0.
  const bool set_back = sq_.consumer == 0 && record == 0;
  if (record == rung_ || set_back) {
    waiting_since_ = 0;
  } else if (waiting_since_ == 0 || waiting_ != record) {
    waiting_ = record;
    waiting_since_ = now_ns;
  } else if (now_ns - waiting_since_ > kGraceNs) {
    report(RuleId::kSendRecordWithoutRing,
           fmt::format("record moved without ring (to {}, the last ring announced {})", record,
                       rung_));
    rung_ = record;
  }
}

}  // namespace softcx
