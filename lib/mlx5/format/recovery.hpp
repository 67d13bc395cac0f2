// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The words by which a running kernel and the CPU recover queues that an error has stopped. They
// lie in memory that both reach (pinned host memory on an NVIDIA GPU): loads and stores only. All
// are 0 when the kernel starts.
//
// A recovery is a turn, numbered from 1. The kernel says `stopped` and touches the queues no more;
// the CPU puts them into reset by commands and says `reset`; the kernel makes rings, records and
// cursors as they are of new queues, which only it can reach when they lie in a GPU's memory, and
// says `emptied`; the CPU makes the queues ready and says `ready`; the kernel posts its receive
// slots again and goes on. Each of the four is stored with release after all that it tells of, and
// loaded with acquire before the other's next step.
//
// A completion queue that has overrun is dead: it tells the kernel nothing, and no command revives
// it or leads a send or receive queue to another one. The CPU finds it (`silent`), and has both
// queues made anew in the same memory once the kernel has emptied it (`anew`). A kernel knows its
// receive queue by memory only; the other send queue has another number, which its WQEs carry.
#pragma once

#include <cstdint>

namespace ringside {

/// Which queues of the kernel have to be reset: bits.
inline constexpr std::uint32_t kRecoverReceive = 1;
inline constexpr std::uint32_t kRecoverSend = 2;

/// Kernel -> CPU.
struct RecoveryRequest {
  std::uint32_t stopped;      ///< turn; what follows it holds for this turn
  std::uint32_t emptied;      ///< turn
  std::uint32_t queues;       ///< kRecover*
  std::uint32_t error;        ///< queue_error_bits() of the error CQE; 0: there is none, see above
  std::uint32_t error_queue;  ///< kRecover*, one of them: whose CQE it is
  std::uint32_t reserved;
  std::uint64_t rx_cq_offset;  ///< of the receive queue's handle from now on; before `emptied`
};

/// CPU -> kernel.
struct RecoveryAnswer {
  /// kRecover*: these have stopped though no CQE says so, the kernel is to ask for their recovery.
  /// Until it has.
  std::uint32_t silent;
  std::uint32_t reset;     ///< turn
  std::uint32_t ready;     ///< turn
  std::uint32_t given_up;  ///< not 0: there is no recovery any more, the kernel ends
  std::uint32_t anew;      ///< kRecover*, before `reset`: their CQs begin anew, too
  std::uint32_t sqn;       ///< before `ready` of a send queue: its number from now on
};

}  // namespace ringside
