// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The rules that a user of the NIC can break, by number. Those of commands are the syndromes that
// refusals carry: firmware's own numbers are not public, these are softcx's and start with 0x50c.
// What each says, and where that is written: table.hpp.
#pragma once

#include <cstdint>

namespace softcx {

enum class RuleId : std::uint32_t {
  kNone = 0,
  // The command itself
  kUnknownOpcode = 0x50c001,
  kInputTooShort,
  kOutputTooShort,
  kOpModNotZero,
  kUnknownCapabilityGroup,
  kInternal,
  kReservedNotZero,
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
  kRingOutsideUmem = 0x50c201,
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
  kStridesOutOfRange,
  kInlineModeUnknown,
  kLagPortUnknown,
  // Tables and hashing
  kTableSizeNotPowerOfTwo = 0x50c401,
  kListTooShort,
  kHashUnsupported,
  kDispositionUnknown,
  kTableAboveItsMaximum,
  // Keys and counters
  kAccessModeUnsupported = 0x50c501,
  kKeyOutsideMemory,
  kKeyRightsAboveMemory,
  kTableFull,
  kCounterOutOfRange,
  kDumpOutsideKey,
  kKeyPageSize,
  kKeyTranslationTooShort,
  kKeyRemoteWriteAlone,
  kKeyOfQueuePair,
  kBulkNotOneBit,
  kBulkQueryUnaligned,
  // Registers
  kNoSuchRegister = 0x50c601,
  kRegisterReadOnly,
  // Send WQEs
  kSendOpcode = 0x50c701,
  kSendQueueNumber,
  kSendWqeIndex,
  kSendSegmentCount,
  kSendBeyondProducer,
  kSendInlineHeader,
  kSendInlineData,
  kSendOffload,
  kSendWait,
  kSendReserved,
  kSendWqeChanged,
  // Send doorbells and their records
  kRingUnknownQueue = 0x50c801,
  kRingWithoutRecord,
  kRingAgain,
  kRingBackwards,
  kRingBlueFlame,
  kUarFreedInUse,
  kSendRecordBackwards,
  kSendRecordBeyondRing,
  kSendRecordWithoutRing,
  // Receive queues
  kReceiveRecordBeyondRing = 0x50c901,
  kReceiveRecordBackwards,
  kReceiveByteCount,
  kReceiveWqeChanged,
  kReceiveBufferOverlap,
  kReceiveBufferSent,
  kReceiveCompletionOrder,
  // Completion queues
  kCqOverrun = 0x50ca01,
  kCqConsumerAhead,
  kCqConsumerBackwards,
  kCqOwner,
  // Memory keys in use
  kKeyUnknown = 0x50cb01,
  kKeyDeregistered,
  kKeyDomain,
  kKeyBounds,
  kKeyLocalWrite,
  kKeyLocalRead,
  kKeyInUse,
  // Steering
  kFlowTagBits = 0x50cc01,
  // Steering calls
  kMatchCriteria = 0x50cd01,
  kMatchUnsupported,
  kMatchIpVersion,
  kMatchValueLength,
  kMatchValueOutsideMask,
  kFlowRuleExists,
  kFlowNoDestination,
  kFlowActionTwice,
  kFlowActionOrder,
  kFlowActionOfOtherDevice,
  kFlowObjectUnknown,
  kFlowCounterOffset,
  kJumpToRoot,
  kJumpToOtherDomain,
  kJumpUpwards,
  kSteeringStillUsed,
  kSteeringTransmit,
  kSteeringDomainType,
  kSteeringFdb,
};

}  // namespace softcx
