// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The WQE, the doorbell and the records that send queues write, whoever owns them.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/device/memory.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

RS_DEVICE SendWqe* wqe_at(const TxQueueHandle& queue, std::uint64_t index) {
  return queue.wqe + (index & ((std::uint64_t{1} << queue.log_depth) - 1));
}

/// Tells the NIC how far the ring is written. Released, so that whoever sees it sees the WQEs.
RS_DEVICE void write_send_record(const TxQueueHandle& queue, std::uint64_t end) {
  const std::uint32_t record = Be32::of(static_cast<std::uint32_t>(end) & 0xffffU).raw;
  if (queue.in_gpu_memory) {
    store_release_device(&queue.record->send_counter.raw, record);
  } else {
    store_release_system(&queue.record->send_counter.raw, record);
  }
}

/// Hands all WQEs before `end` to the NIC. One thread at a time.
RS_DEVICE void announce_sends(const TxQueueHandle& queue, std::uint64_t end) {
  const std::uint32_t last = static_cast<std::uint32_t>(end - 1);
  // The record first; then the doorbell, which makes the NIC look (PRM, "Posting a Work Request to
  // Work Queue"). Its value is made here and not read from the ring, which may be a PCIe round trip
  // away.
  const Be32 control[2] = {Be32::of(opmod_idx_opcode(last, WqeOpcode::kSend)),
                           Be32::of(qpn_ds(queue.sqn, kSendWqeSegments))};
  std::uint64_t doorbell;
  memcpy(&doorbell, control, sizeof(doorbell));
  write_send_record(queue, end);
  if (queue.in_gpu_memory) {
    ring_doorbell_device(queue.doorbell, doorbell);
  } else {
    ring_doorbell(queue.doorbell, doorbell);
  }
}

/// Tells the NIC which CQEs were taken, before any WQE is posted into the room that they made, so
/// that its CQE has room too. The value was computed from what the CQEs said, so no order is needed
/// towards their reads; the release of the next doorbell record brings it to the NIC.
RS_DEVICE void give_send_cqes_back(const TxQueueHandle& queue, std::uint64_t cq_consumed) {
  store_relaxed_system(&queue.cq_record->consumer_index.raw,
                       Be32::of(static_cast<std::uint32_t>(cq_consumed) & 0xffffffU).raw);
}

}  // namespace ringside

#if defined(__CUDACC__)
#include "lib/device/impl/tx_write_cuda.hpp"
#else
#include "lib/device/impl/tx_write_host.hpp"
#endif
