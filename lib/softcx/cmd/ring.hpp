// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where a queue's ring and its doorbell record lie.
#pragma once

#include "lib/softcx/cmd/command.hpp"

namespace softcx {

/// A ring or a doorbell record as a context names it. What says that a umem's number is there
/// (wq_umem_valid and so on) is not asked for: the kernel sets it in each DevX command that makes a
/// queue (Linux, devx_set_umem_valid()), and rdma-core leaves it 0 (dr_devx_create_qp()).
struct UmemPlace {
  std::uint32_t umem_id;
  std::uint64_t offset;
};

struct RingRequest {
  const char* kind;  ///< "CQ", "SQ", "RQ": for the log
  UmemPlace ring;
  UmemPlace record;
  std::uint64_t ring_bytes;
  std::uint32_t page_offset;    ///< in 64ths of a page
  std::uint32_t log_page_size;  ///< of 4 KiB pages
  bool nic_writes_ring;         ///< completion queues
};

struct RingMemory {
  Umem* ring_umem;
  Umem* record_umem;
  std::uint8_t* ring;
  std::uint8_t* record;
};

/// Checks that both lie in umems of the device, whole and aligned, and apart from each other.
/// Takes no references.
RingMemory place_ring(Device& device, const RingRequest& request);

/// A queue holds its ring's umem and its record's.
inline void hold_umems(const RingMemory& memory) {
  ++memory.ring_umem->references;
  ++memory.record_umem->references;
}
template <class Queue>
void release_umems(Queue& queue) {
  --queue.ring_umem->references;
  --queue.record_umem->references;
}

}  // namespace softcx
