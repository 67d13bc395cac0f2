// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/completion_queue.hpp"

#include <fmt/core.h>

#include <cstring>

#include "lib/softcx/data/device_writes.hpp"

namespace softcx {
namespace {

using ringside::Be16;
using ringside::Be32;
using ringside::Cqe;
using ringside::CqeOpcode;

}  // namespace

void overrun(const Device& device, Cq& cq, std::uint32_t consumer) {
  cq.failed.store(true, std::memory_order_release);
  const std::uint32_t depth = 1U << cq.log_depth;
  const bool runs_ahead = ((cq.producer - consumer) & cq_index_mask(cq)) > depth;
  report_broken(runs_ahead ? RuleId::kCqConsumerAhead : RuleId::kCqOverrun,
                object_name(device, "completion queue", cq.cqn),
                fmt::format("{} (consumer index {}, next entry {}, {} entries)",
                            runs_ahead ? "the consumer index runs ahead of what was written"
                                       : "overrun: a completion came while the ring was full",
                            consumer, cq.producer, depth));
}

void watch_claim(const Device& device, Cq& cq, std::uint32_t consumer) {
  const std::uint32_t mask = cq_index_mask(cq);
  if (((cq.producer - consumer) & mask) > ((cq.producer - cq.seen_consumer) & mask)) {
    report_broken(RuleId::kCqConsumerBackwards, object_name(device, "completion queue", cq.cqn),
                  fmt::format("the consumer index went from {} to {}, next entry {}",
                              cq.seen_consumer, consumer, cq.producer));
  }
  cq.seen_consumer = consumer;
  const std::uint8_t op_own =
      std::atomic_ref<std::uint8_t>(cq.ring[cq.producer & ((1U << cq.log_depth) - 1)].op_own)
          .load(std::memory_order_relaxed);
  if (ringside::cqe_is_ready(op_own, cq.producer, cq.log_depth)) {
    report_broken(
        RuleId::kCqOwner, object_name(device, "completion queue", cq.cqn),
        fmt::format("entry {} has op_own {:#x} before it is written", cq.producer, op_own));
  }
}

void publish_held(Cq& cq, Cqe& entry, std::uint8_t op_own) noexcept {
  cq.holder->hold(cq, entry, op_own, nullptr, 0);
}

bool complete(const Device& device, Cq& cq, Cqe& cqe, CqeOpcode opcode) {
  Cqe* const entry = claim(device, cq);
  if (entry == nullptr) return false;
  std::memcpy(static_cast<void*>(entry), &cqe, offsetof(Cqe, op_own));
  publish(cq, *entry, opcode);
  return true;
}

bool complete_error(const Device& device, Cq& cq, CqeOpcode opcode, Fault fault,
                    std::uint32_t user_index, std::uint32_t queue, std::uint8_t wqe_opcode,
                    std::uint16_t wqe_counter) {
  Cqe cqe = error_cqe(fault, user_index, queue, wqe_opcode, wqe_counter);
  return complete(device, cq, cqe, opcode);
}

Cqe error_cqe(Fault fault, std::uint32_t user_index, std::uint32_t queue, std::uint8_t wqe_opcode,
              std::uint16_t wqe_counter) noexcept {
  Cqe cqe{};
  set_user_index(cqe, user_index);
  cqe.sop_qpn = Be32::of(std::uint32_t{wqe_opcode} << 24 | queue);
  cqe.wqe_counter = Be16::of(wqe_counter);
  auto* bytes = reinterpret_cast<std::uint8_t*>(&cqe);
  bytes[ringside::kErrorCqeVendorSyndromeOffset] = static_cast<std::uint8_t>(fault.cause);
  bytes[ringside::kErrorCqeSyndromeOffset] = static_cast<std::uint8_t>(fault.syndrome);
  return cqe;
}

}  // namespace softcx
