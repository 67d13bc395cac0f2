// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writing completions.
#pragma once

#include <cstdint>

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
  kFlushed = 0xf9,        ///< the queue was in the error state
};

struct Fault {
  ringside::CqeSyndrome syndrome{};
  Cause cause = Cause::kNone;

  explicit operator bool() const noexcept { return cause != Cause::kNone; }
};

/// Writes `cqe` as the queue's next entry; its op_own is set here. False: the queue has failed,
/// now (an overrun, which is reported as a violation) or before, and nothing was written.
bool complete(const Device& device, Cq& cq, ringside::Cqe& cqe, ringside::CqeOpcode opcode);

/// The same for an error: `queue` goes into the number field, `wqe_opcode` above it.
bool complete_error(const Device& device, Cq& cq, ringside::CqeOpcode opcode, Fault fault,
                    std::uint32_t user_index, std::uint32_t queue, std::uint8_t wqe_opcode,
                    std::uint16_t wqe_counter);

inline void set_user_index(ringside::Cqe& cqe, std::uint32_t index) noexcept {
  cqe.user_index[0] = static_cast<std::uint8_t>(index >> 16);
  cqe.user_index[1] = static_cast<std::uint8_t>(index >> 8);
  cqe.user_index[2] = static_cast<std::uint8_t>(index);
}

}  // namespace softcx
