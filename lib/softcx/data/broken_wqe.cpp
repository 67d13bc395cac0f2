// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/broken_wqe.hpp"

#include <fmt/core.h>

#include "lib/softcx/nic/key_breach.hpp"

namespace softcx {
namespace {

/// kNone: no rule of the queue's user is about it, or report_key() tells.
RuleId rule_of(const WqeControl& control, std::uint32_t available, Cause cause) {
  switch (cause) {
    case Cause::kOpcode:
      return RuleId::kSendOpcode;
    case Cause::kQueueNumber:
      return RuleId::kSendQueueNumber;
    case Cause::kWqeIndex:
      return RuleId::kSendWqeIndex;
    case Cause::kSegmentCount:
      return control.blocks() > available ? RuleId::kSendBeyondProducer : RuleId::kSendSegmentCount;
    case Cause::kInlineHeader:
      return RuleId::kSendInlineHeader;
    case Cause::kInlineData:
      return RuleId::kSendInlineData;
    case Cause::kOffload:
      return RuleId::kSendOffload;
    case Cause::kWait:
      return RuleId::kSendWait;
    default:
      return RuleId::kNone;
  }
}

template <class Queue>
void report_key_of(const Queue& queue, const std::string& object, const KeyReader& keys,
                   const KeyAccess& access) {
  const KeyBreach breach = key_breach(*queue.device, access.lkey, queue.pdn, access.address,
                                      access.length, keys.writes());
  report_broken(breach.rule, object, breach.how);
}

}  // namespace

void report_wqe(const Sq& sq, std::uint16_t index, const WqeControl& control,
                std::uint32_t available, Fault fault) {
  const RuleId rule = rule_of(control, available, fault.cause);
  if (rule == RuleId::kNone || !sanitizing()) return;
  report_broken(
      rule, object_name(*sq.device, "send queue", sq.sqn),
      fmt::format("WQE at {}: opmod {:#x}, opcode {:#x}, index {}, queue {:#x}, ds {}, {} "
                  "blocks posted",
                  index, control.opmod, control.opcode, control.index, control.queue,
                  control.segments, available));
}

void report_key(const Sq& sq, const KeyReader& keys, const KeyAccess& access) {
  if (!sanitizing()) return;
  report_key_of(sq, object_name(*sq.device, "send queue", sq.sqn), keys, access);
}

void report_key(const Rq& rq, const KeyReader& keys, const KeyAccess& access) {
  if (!sanitizing()) return;
  report_key_of(rq, object_name(*rq.device, "receive queue", rq.rqn), keys, access);
}

}  // namespace softcx
