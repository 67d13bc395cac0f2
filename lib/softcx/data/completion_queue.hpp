// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writing completions.
#pragma once

#include <atomic>
#include <cstdint>

#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// Cause of an error CQE (vendor syndrome), finer than the syndrome that the PRM defines.
enum class Cause : std::uint8_t {
  kNone = 0x00,
  kSegmentCount = 0x81,   ///< ds is 0, is less than the opcode needs, or passes the producer index
  kWqeIndex = 0x82,       ///< the control segment's index is not the WQE's place
  kQueueNumber = 0x83,    ///< the control segment names another queue
  kOpcode = 0x84,         ///< unknown, or not allowed on this queue
  kInlineHeader = 0x85,   ///< does not fit the WQE, has reserved bits, or is below the minimum
  kInlineData = 0x86,     ///< does not fit the WQE
  kOffload = 0x87,        ///< an offload that the capabilities do not offer
  kMemoryKey = 0x88,      ///< unknown key, wrong protection domain, out of bounds, not writable
  kProducerIndex = 0x89,  ///< the record went backwards or beyond the ring
  kScatterList = 0x8a,    ///< the frame is longer than the receive WQE's buffers
  kNotStaged = 0x8b,      ///< device memory that the WQE did not name at its doorbell, or too much
  kCopyEngine = 0x8c,     ///< device memory whose copy engine has failed
  kWait = 0x8d,           ///< a wait on something else than time, or with a broken mask
  kInjected = 0xe0,       ///< asked for by --fault
  kFlushed = 0xf9,        ///< the queue was in the error state
};

struct Fault {
  ringside::CqeSyndrome syndrome{};
  Cause cause = Cause::kNone;

  explicit operator bool() const noexcept { return cause != Cause::kNone; }
};

/// Overruns are found modulo two laps of the ring: enough to tell full from empty, and all that
/// drivers provide (the PMD keeps the consumer indexes of its send queues in 16 bits).
constexpr std::uint32_t cq_index_mask(const Cq& cq) noexcept {
  constexpr std::uint32_t kIndexBits = 0xffffff;
  return ((2U << cq.log_depth) - 1) & kIndexBits;
}

/// The queue fails, and that is reported as a violation.
[[gnu::cold]] void overrun(const Device& device, Cq& cq, std::uint32_t consumer);

/// For --sanitize: is the entry that is claimed next as it must be? `consumer`: as the record says.
[[gnu::cold]] void watch_claim(const Device& device, Cq& cq, std::uint32_t consumer);

/// The queue's next entry, to be filled up to op_own and then published; nullptr: the queue has
/// failed, now (an overrun) or before.
inline ringside::Cqe* claim(const Device& device, Cq& cq) noexcept {
  if (cq.failed.load(std::memory_order_relaxed)) [[unlikely]] {
    return nullptr;
  }
  const std::uint32_t depth = 1U << cq.log_depth;
  if (!cq.overrun_ignore) {
    // Acquire: the driver's reads of the entry that is overwritten now came before its index.
    const std::uint32_t consumer = load_record(cq.record->consumer_index);
    if (((cq.producer - consumer) & cq_index_mask(cq)) >= depth) [[unlikely]] {
      overrun(device, cq, consumer);
      return nullptr;
    }
    if (sanitizing()) [[unlikely]] {
      watch_claim(device, cq, consumer);
    }
  }
  return &cq.ring[cq.producer & (depth - 1)];
}

/// The byte that makes a completion valid; `owner` has the owner bit.
constexpr std::uint8_t op_own_of(ringside::CqeOpcode opcode, std::uint32_t owner) noexcept {
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(opcode) << 4 | (owner & 1U));
}
/// That of the claimed entry, which is settled with it.
inline std::uint8_t next_op_own(Cq& cq, ringside::CqeOpcode opcode) noexcept {
  return op_own_of(opcode, cq.producer++ >> cq.log_depth);
}

/// Hands the claimed entry to `cq.holder`, behind those that wait there for copies to end.
[[gnu::cold]] void publish_held(Cq& cq, ringside::Cqe& entry, std::uint8_t op_own) noexcept;

/// Hands the claimed entry to the driver.
inline void publish(Cq& cq, ringside::Cqe& entry, ringside::CqeOpcode opcode) noexcept {
  const std::uint8_t op_own = next_op_own(cq, opcode);
  if (cq.holder != nullptr) [[unlikely]] {
    return publish_held(cq, entry, op_own);
  }
  // Release: pairs with the driver's acquire of op_own. Whoever sees the owner bit turn sees the
  // packet, the other 63 bytes and all completions before this one.
  std::atomic_ref<std::uint8_t>(entry.op_own).store(op_own, std::memory_order_release);
}

/// Writes `cqe` as the queue's next entry; its op_own is set here. False: the queue has failed,
/// now (an overrun, which is reported as a violation) or before, and nothing was written.
bool complete(const Device& device, Cq& cq, ringside::Cqe& cqe, ringside::CqeOpcode opcode);

/// The same for an error: `queue` goes into the number field, `wqe_opcode` above it.
bool complete_error(const Device& device, Cq& cq, ringside::CqeOpcode opcode, Fault fault,
                    std::uint32_t user_index, std::uint32_t queue, std::uint8_t wqe_opcode,
                    std::uint16_t wqe_counter);

ringside::Cqe error_cqe(Fault fault, std::uint32_t user_index, std::uint32_t queue,
                        std::uint8_t wqe_opcode, std::uint16_t wqe_counter) noexcept;

inline void set_user_index(ringside::Cqe& cqe, std::uint32_t index) noexcept {
  cqe.user_index[0] = static_cast<std::uint8_t>(index >> 16);
  cqe.user_index[1] = static_cast<std::uint8_t>(index >> 8);
  cqe.user_index[2] = static_cast<std::uint8_t>(index);
}

}  // namespace softcx
