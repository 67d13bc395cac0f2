// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The rules by which commands are refused, as the syndromes that answers carry. Firmware's own
// numbers are not public: these are softcx's, one a rule, all starting with 0x50c.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lib/mlx5/format/prm_command.hpp"

namespace softcx {

enum class Rule : std::uint32_t {
  kNone = 0,
  // The command itself
  kUnknownOpcode = 0x50c001,
  kInputTooShort,
  kOutputTooShort,
  kOpModNotZero,
  kUnknownCapabilityGroup,
  kInternal,
  // References
  kNoSuchCq = 0x50c101,
  kNoSuchSq,
  kNoSuchRq,
  kNoSuchTis,
  kNoSuchTir,
  kNoSuchRqt,
  kNoSuchPd,
  kNoSuchTransportDomain,
  kNoSuchUar,
  kNoSuchUmem,
  kNoSuchEq,
  kNoSuchMkey,
  kNoSuchQCounter,
  kNoSuchFlowCounter,
  kStillReferenced,
  // Rings and doorbell records
  kUmemNotGiven = 0x50c201,
  kRingOutsideUmem,
  kRingMisaligned,
  kRingUmemReadOnly,
  kRecordOutsideUmem,
  kRecordMisaligned,
  kRecordInsideRing,
  // Queues
  kSizeAboveLimit = 0x50c301,
  kStrideOutOfRange,
  kWqTypeUnsupported,
  kCreatedNotInReset,
  kNoTis,
  kCurrentStateWrong,
  kTransitionForbidden,
  kModifyUnsupported,
  kFeatureUnsupported,
  // Tables and hashing
  kTableSizeNotPowerOfTwo = 0x50c401,
  kListTooShort,
  kHashUnsupported,
  kDispositionUnknown,
  // Keys and counters
  kAccessModeUnsupported = 0x50c501,
  kKeyOutsideMemory,
  kKeyRightsAboveMemory,
  kTableFull,
  kCounterOutOfRange,
  kDumpOutsideKey,
  // Registers
  kNoSuchRegister = 0x50c601,
  kRegisterReadOnly,
};

/// Thrown by handlers; execute() turns it into status, syndrome and a log line.
struct CommandRefusal {
  ringside::prm::Status status;
  Rule rule;
  std::string text;
};

template <class... Args>
[[noreturn]] void refuse(ringside::prm::Status status, Rule rule,
                         fmt::format_string<Args...> format, Args&&... args) {
  throw CommandRefusal{status, rule, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace softcx
