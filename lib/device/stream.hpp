// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One stream: a receive queue, the send queue that it is paired with, and the words by which the
// CPU and the block that serves it talk. The words lie in memory that both reach (pinned host
// memory on an NVIDIA GPU): loads and stores only, no atomic read-modify-write (PCIe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/device/handed_packet.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/format/recovery.hpp"
#include "lib/mlx5/format/striding_queue.hpp"

namespace ringside {

/// Why a packet that was received was not sent. Every cause has a counter.
enum class DropCause : std::uint32_t {
  kProgram,      ///< the packet program said so
  kTxQueueDown,  ///< the send queue stopped on an error, or the kernel on the way to it has ended
  kCount,
};

/// Written by one thread of the owning block, some ten passes after a batch at the latest, with
/// plain (relaxed) stores; the CPU reads them at any time. They go on from what they hold when a
/// kernel starts. Nothing is lost silently: rx_packets + tx_generated == tx_completed + consumed +
/// the drops + those in flight, and in flight == tx_packets - tx_completed - tx_errors.
struct StreamCounters {
  std::uint64_t rx_packets;
  std::uint64_t rx_bytes;
  std::uint64_t rx_errors;  ///< error CQEs that cost one packet each
  std::uint64_t consumed;   ///< taken by the program itself (rxonly)
  std::uint64_t dropped[static_cast<std::uint32_t>(DropCause::kCount)];
  std::uint64_t tx_packets;    ///< posted
  std::uint64_t tx_bytes;      ///< posted, less those lost with the send queue
  std::uint64_t tx_generated;  ///< those of tx_packets that the kernel made itself
  std::uint64_t tx_completed;  ///< packets that the NIC said are sent
  std::uint64_t tx_errors;     ///< posted, then lost with the send queue; also in the drops
  std::uint64_t batches;       ///< receive batches that held at least one packet
  std::uint64_t tx_doorbells;  ///< rung; each hands the NIC a batch
  std::uint64_t tx_cqes;       ///< completions taken; each is of all sends before it
  std::uint64_t tx_waits;      ///< times the send ring was found full; stored at once
};

/// CPU -> kernel. Between batches kernels look at `exit` and recovery.silent, by one load.
struct StreamControl {
  alignas(8) std::uint32_t exit;  ///< not 0: finish the batch in hand, drain sends, end
  RecoveryAnswer recovery;
};
static_assert(offsetof(StreamControl, recovery) == sizeof(std::uint32_t) &&
              offsetof(RecoveryAnswer, silent) == 0);

/// Where a block is, so that a stop that takes too long can say so.
enum class BlockPhase : std::uint32_t {
  kNotStarted,
  kReceiving,  ///< or at work on what came: told apart, they would cost a store a batch
  kWaitingForSendRoom,
  kDraining,
  kAwaitingRecovery,  ///< a queue has stopped, and is to be reset
  kFinished,
  kFailed,
};

/// Kernel -> CPU. `phase` is stored with release after the other fields.
struct StreamStatus {
  BlockPhase phase;
  std::uint32_t error_syndrome;  ///< of the error CQE that stopped the stream, 0: none
  std::uint32_t error_vendor;    ///< its vendor syndrome
  std::uint32_t error_on_send;   ///< 1: of the send queue, 0: of the receive queue
  std::uint32_t error_wqe_counter;
  RecoveryRequest recovery;
};

struct MacAddress {
  std::uint8_t bytes[6];
};

/// Buffers for frames that the kernel makes itself. txonly and a first burst write all of them when
/// the kernel starts and only send from them after that, so many WQEs may send one buffer at a
/// time; generator writes each before it sends it, and waits until the NIC has sent it. They lie in
/// the memory region of tx.lkey, outside the receive queue's slots.
struct TxBuffers {
  const std::uint64_t* iova;  ///< [count] the NIC's address of each buffer
  std::int64_t view_offset;   ///< kernel pointer = iova + view_offset
  std::uint32_t length;       ///< bytes each can take
  std::uint32_t count;        ///< at least 1 where the kernel makes frames
};

/// What packet programs may need beyond the queues.
struct ProgramArgs {
  MacAddress source;            ///< mac: the sending port's address; txonly: source
  MacAddress destination;       ///< mac, txonly: the peer's address
  std::uint32_t packet_length;  ///< txonly: bytes without FCS, 42 to tx_buffers.length
  const void* own;              ///< pipeline, generator: what is in kernels/*_args.hpp
};

/// Time of rates: 2^-16 ns, so that rounding a frame's share costs 400 Gbit/s less than a
/// thousandth.
inline constexpr std::uint32_t kPaceTickBits = 16;

/// StreamArgs::first_burst: without end.
inline constexpr std::uint64_t kEndlessBurst = ~std::uint64_t{0};

struct StreamArgs {
  RxQueueHandle rx;  ///< not used by a kernel that sends only, or takes packets over
  TxQueueHandle tx;  ///< not used by a kernel that receives only, or hands packets over
  HandOver from;     ///< used by a kernel that takes packets over
  HandOver to;       ///< used by a kernel that hands packets over
  StreamCounters* counters;
  StreamControl* control;
  StreamStatus* status;
  std::uint32_t burst;  ///< packets a batch at most, not 0
  /// Of the send queue, 2^-16 ns for each byte of a frame with FCS; 0: it sends as fast as it can.
  std::uint64_t pace;
  std::uint64_t first_burst;  ///< start tx_first: txonly's frames to send once before receiving
  std::uint64_t drain_ns;     ///< how long to wait for send completions after `exit`
  ProgramArgs program;
  TxBuffers tx_buffers;  ///< txonly, generator and first_burst only
  /// The CPU recovers queues that an error has stopped, while the kernel runs.
  bool recovers;
  /// Used by a kernel that takes strides: then `rx` is the queue's completions.
  StridingBuffers strides;
};
static_assert(std::is_trivially_copyable_v<StreamArgs>);

}  // namespace ringside
