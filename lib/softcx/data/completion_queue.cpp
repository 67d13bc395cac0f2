// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/completion_queue.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "lib/softcx/data/shared_word.hpp"

namespace softcx {
namespace {

using ringside::Be16;
using ringside::Be32;
using ringside::Cqe;
using ringside::CqeOpcode;

/// Overruns are found modulo two laps of the ring: enough to tell full from empty, and all that
/// drivers provide (the PMD keeps the consumer indexes of its send queues in 16 bits).
constexpr std::uint32_t index_mask(const Cq& cq) {
  constexpr std::uint32_t kIndexBits = 0xffffff;
  return ((2U << cq.log_depth) - 1) & kIndexBits;
}

[[gnu::cold]] void overrun(const Device& device, Cq& cq, std::uint32_t consumer) {
  cq.failed.store(true, std::memory_order_release);
  const std::uint32_t depth = 1U << cq.log_depth;
  const bool runs_ahead = ((cq.producer - consumer) & index_mask(cq)) > depth;
  report_violation(
      fmt::format("{}: completion queue {:#x}: {}", device.ibdev, cq.cqn,
                  runs_ahead ? "the consumer index runs ahead of what was written"
                             : "overrun: a completion came while the ring was full"),
      fmt::format(" (consumer index {}, next entry {}, {} entries)", consumer, cq.producer, depth));
}

}  // namespace

bool complete(const Device& device, Cq& cq, Cqe& cqe, CqeOpcode opcode) {
  if (cq.failed.load(std::memory_order_relaxed)) [[unlikely]] {
    return false;
  }
  const std::uint32_t depth = 1U << cq.log_depth;
  if (!cq.overrun_ignore) {
    // Acquire: the driver's reads of the entry that is overwritten now came before its index.
    const std::uint32_t consumer = load_record(cq.record->consumer_index);
    if (((cq.producer - consumer) & index_mask(cq)) >= depth) [[unlikely]] {
      overrun(device, cq, consumer);
      return false;
    }
  }
  Cqe& entry = cq.ring[cq.producer & (depth - 1)];
  std::memcpy(static_cast<void*>(&entry), &cqe, offsetof(Cqe, op_own));
  const auto owner = static_cast<std::uint8_t>((cq.producer >> cq.log_depth) & 1U);
  const auto op_own = static_cast<std::uint8_t>(static_cast<std::uint8_t>(opcode) << 4 | owner);
  // Release: pairs with the driver's acquire of op_own. Whoever sees the owner bit turn sees the
  // packet, the other 63 bytes and all completions before this one.
  std::atomic_ref<std::uint8_t>(entry.op_own).store(op_own, std::memory_order_release);
  ++cq.producer;
  return true;
}

bool complete_error(const Device& device, Cq& cq, CqeOpcode opcode, Fault fault,
                    std::uint32_t user_index, std::uint32_t queue, std::uint8_t wqe_opcode,
                    std::uint16_t wqe_counter) {
  Cqe cqe{};
  set_user_index(cqe, user_index);
  cqe.sop_qpn = Be32::of(std::uint32_t{wqe_opcode} << 24 | queue);
  cqe.wqe_counter = Be16::of(wqe_counter);
  auto* bytes = reinterpret_cast<std::uint8_t*>(&cqe);
  bytes[ringside::kErrorCqeVendorSyndromeOffset] = static_cast<std::uint8_t>(fault.cause);
  bytes[ringside::kErrorCqeSyndromeOffset] = static_cast<std::uint8_t>(fault.syndrome);
  return complete(device, cq, cqe, opcode);
}

}  // namespace softcx
