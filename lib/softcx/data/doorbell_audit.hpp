// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Audit of a UAR page with one send queue: each ring must announce WQEs that its record already
// covers, and each record must be followed by its ring. A shared page cannot be audited so: a ring
// may be overwritten by the next one before it is seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/softcx/nic/device.hpp"

namespace softcx {

class DoorbellAudit {
 public:
  /// How long a record may be ahead of its ring before that is a violation: much longer than a
  /// driver is preempted between the two.
  static constexpr std::uint64_t kGraceNs = 1'000'000'000;

  DoorbellAudit(const Device& device, Sq& sq) noexcept;

  /// A ring by one of the two buffers announced WQEs up to `end` when the record said `record`.
  void rung(std::uint16_t end, std::uint16_t record, std::size_t buffer) noexcept;
  /// Is the record ahead of the last ring? Call it now and then.
  void check(std::uint64_t now_ns) noexcept;

 private:
  void report(RuleId rule, const std::string& how) const;

  const Device& device_;
  Sq& sq_;
  bool baseline_ = true;  ///< no ring seen yet: `rung_` is a guess
  std::uint16_t rung_;    ///< the furthest producer index that a ring announced
  /// The same of each buffer: of rings by both, the later one may be seen first.
  std::array<std::uint16_t, 2> rung_by_;
  std::uint16_t waiting_ = 0;        ///< the record that waits for its ring ...
  std::uint64_t waiting_since_ = 0;  ///< ... since then; 0: none
};

}  // namespace softcx
