// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queue handles: what a kernel needs to own an mlx5 receive or send queue. The host makes them
// (lib/mlx5 exports the rings, lib/runtime joins them with buffers); kernels get them by value.
// Trivially copyable, so that they can be kernel arguments. All indices are 64 bits wide in
// software; the wire's 16 bits (WQE) and 24 bits (CQE) are cut off where they are written.
//
// Addresses ending in `_iova` are what the NIC is told; pointers are what kernels dereference. They
// are equal on an NVIDIA GPU and may differ on the host GPU.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/wqe.hpp"

namespace ringside {

/// Survives a kernel, so that the next one goes on. Written by the owning block only.
struct RxQueueState {
  std::uint64_t received;  ///< packets taken; packet n lies in slot n mod depth
  std::uint64_t released;  ///< slots given back in order; doorbell record = released + depth
};

/// See RxQueueState.
struct TxQueueState {
  std::uint64_t posted;       ///< basic blocks written, the next WQE's index
  std::uint64_t completed;    ///< basic blocks that the NIC is done with
  std::uint64_t cq_consumed;  ///< CQEs consumed
};

/// A cyclic receive queue of 2^log_depth slots of one scatter entry each, or two where headers are
/// split from data, and its CQ. Slot i owns its buffers for the queue's life. Receive WQEs have
/// been written by the host.
struct RxQueueHandle {
  Cqe* cqe;                        ///< ring of 2^log_cq_depth, NIC writes, kernel reads
  CqDoorbellRecord* cq_record;     ///< kernel writes consumer_index, NIC reads
  DoorbellRecord* record;          ///< kernel writes receive_counter, NIC reads
  const std::uint64_t* slot_iova;  ///< [depth] the NIC's address of each slot's packet
  std::int64_t view_offset;        ///< kernel pointer = slot_iova + view_offset
  std::uint16_t* slot_references;  ///< [depth] 0: free; kernel only
  RxQueueState* state;
  std::uint32_t buffer_length;  ///< bytes that a slot's buffer can take, of two the first
  std::uint32_t log_depth;
  std::uint32_t log_cq_depth;  ///< >= log_depth, so that the CQ cannot overrun
  std::uint32_t rqn;
  /// CQ consumer index = received + cq_offset: recovery begins again with slot 0, but no command
  /// takes a CQ back to its start.
  std::uint64_t cq_offset;
  /// Header-data split: where the bytes go that come after the first buffer_length of a packet.
  /// nullptr: packets are whole, and a longer one is an error.
  const std::uint64_t* payload_iova;  ///< [depth] the NIC's address of each slot's second buffer
  std::int64_t payload_view_offset;   ///< kernel pointer = payload_iova + payload_view_offset
};
static_assert(std::is_trivially_copyable_v<RxQueueHandle>);

/// How the NIC is told of WQEs. kBlueFlame: by a write that brings a lone WQE with it, which spares
/// the NIC a fetch. It needs a register that combines writes, both of its buffers mapped: exports
/// choose it for those only (DoorbellTarget).
enum class DoorbellKind : std::uint8_t { kRegular, kBlueFlame };

/// A cyclic send queue of 2^log_depth basic blocks and its CQ.
struct TxQueueHandle {
  SendWqe* wqe;                 ///< ring of 2^log_depth, kernel writes, NIC reads
  DoorbellRecord* record;       ///< kernel writes send_counter, NIC reads
  std::uint64_t* doorbell;      ///< UAR register, kernel writes
  Cqe* cqe;                     ///< ring of 2^log_cq_depth >= depth, so that it cannot overrun
  CqDoorbellRecord* cq_record;  ///< kernel writes consumer_index, NIC reads
  std::uint32_t* wqe_slot;      ///< [depth] slot of the receive queue that a WQE sends, or kNoSlot
  TxQueueState* state;
  std::uint32_t lkey;  ///< of the packet buffers, big-endian conversion is the kernel's
  std::uint32_t log_depth;
  std::uint32_t log_cq_depth;
  std::uint32_t sqn;
  /// Ring, records, CQ and the packets that kernels write lie in the memory of the GPU whose
  /// kernels use them: what they write is the NIC's to read as soon as the whole GPU sees it. Where
  /// only some of it does, it is false, and kernels write as they do across PCIe.
  bool in_gpu_memory;
  DoorbellKind doorbell_kind;
  bool multi_packet;          ///< WQEs of several packets are allowed
  std::uint64_t wait_mask;    ///< bits of the NIC's clock that a wait compares; 0: it cannot wait
  std::uint32_t header_lkey;  ///< of the first part of split packets; lkey is of the second
};
static_assert(std::is_trivially_copyable_v<TxQueueHandle>);
inline constexpr std::uint32_t kNoSlot = 0xffffffffU;

/// What the blocks that share a send queue agree by. Lies in the GPU's own memory; each word that
/// they contend for has its own cache line. Indices count basic blocks.
struct TxSharedState {
  alignas(128) std::uint64_t reserved;   ///< all before it are handed out to a block
  alignas(128) std::uint64_t committed;  ///< all before it are with the NIC
  alignas(128) std::uint64_t completed;  ///< all before it are sent, their slots free
  std::uint64_t stopped;                 ///< 0, or why nothing after `completed` is ever sent
  alignas(128) std::uint64_t poller;     ///< 1: a thread is reading CQEs, and may use what follows
  std::uint64_t cq_consumed;             ///< CQEs it has taken
  std::uint64_t cq_completed;            ///< what `completed` becomes by them
  std::uint64_t arrived;                 ///< users that wait for the queue's recovery
  std::uint64_t recoveries;              ///< changes with each that ends; odd: it did not help
};

/// A send queue for any number of blocks at once. queue.wqe_slot and queue.state are not used:
/// `shared` starts as shared_state(*queue.state) and is what the next kernel goes on from.
struct SharedTxQueueHandle {
  TxQueueHandle queue;
  TxSharedState* shared;
  /// [depth] where the batch ends that begins in this slot. Zero at first.
  std::uint64_t* batch_end;
};
static_assert(std::is_trivially_copyable_v<SharedTxQueueHandle>);

RS_HD constexpr TxSharedState shared_state(const TxQueueState& state) {
  return {
      state.posted, state.posted, state.completed, 0, 0, state.cq_consumed, state.completed, 0, 0};
}

}  // namespace ringside
