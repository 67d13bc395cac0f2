// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A CPU thread in a NIC's place: one receive and one send queue whose rings lie in pinned memory,
// as they do under softcx, and a stopwatch from a receive CQE to the doorbell of its send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lib/device/stream.hpp"

namespace ringside::bench {

enum class Memory { kPinned, kDevice };

struct FreeMemory {
  Memory memory;
  void operator()(void* address) const noexcept;
};
using Bytes = std::unique_ptr<std::uint8_t, FreeMemory>;

/// Zeroed. Throws Error.
Bytes allocate(Memory memory, std::size_t size);

class TurnaroundNic {
 public:
  static constexpr std::uint32_t kLogDepth = 10;
  static constexpr std::uint32_t kFrame = 64;  ///< bytes

  explicit TurnaroundNic(Memory packets);

  /// For the kernel, in pinned memory.
  const StreamArgs* stream() const { return &pinned().stream; }

  /// One packet in, and its way out awaited: nanoseconds from the store that makes its CQE visible
  /// to the sight of the doorbell. Throws Error when nothing is sent within a second, or not what
  /// came. `completes`: the send's CQE is written, and the slot has to come back.
  std::uint64_t turn_around(bool completes);

  void set_exit();
  /// An error CQE, which ends the bare sequence.
  void write_error();

 private:
  static constexpr std::uint32_t kDepth = 1U << kLogDepth;
  static constexpr std::uint32_t kBuffer = 2048;

  struct Pinned {
    Cqe rx_cq[kDepth];
    SendWqe wqe[kDepth];
    Cqe tx_cq[kDepth];
    alignas(64) DoorbellRecord rx_record;
    alignas(64) CqDoorbellRecord rx_cq_record;
    alignas(64) DoorbellRecord tx_record;
    alignas(64) CqDoorbellRecord tx_cq_record;
    alignas(64) std::uint64_t doorbell;
    alignas(64) StreamCounters counters;
    alignas(64) StreamControl control;
    alignas(64) StreamStatus status;
    alignas(64) StreamArgs stream;
  };
  struct KernelOnly {
    RxQueueState rx;
    TxQueueState tx;
    std::uint64_t slot_iova[kDepth];
    std::uint16_t slot_references[kDepth];
    std::uint32_t wqe_slot[kDepth];
  };

  Pinned& pinned() const { return *reinterpret_cast<Pinned*>(pinned_.get()); }
  std::uint8_t op_own(CqeOpcode opcode) const;
  void await_slot();
  void check_send(std::uint64_t doorbell) const;

  Bytes pinned_;
  Bytes kernel_only_;
  Bytes packets_;
  std::uint64_t index_ = 0;
  std::uint64_t last_doorbell_ = 0;
};

}  // namespace ringside::bench
