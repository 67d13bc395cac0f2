// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// NVIDIA's open gpunetio queues on the rig's memory, and the WQE that they write. They have no
// Ethernet sends: an RDMA write of one segment is as long as our send, 48 bytes.
#pragma once

#include <doca_gpunetio_device.h>

#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {

inline constexpr std::uint32_t kRkey = 0x00567800;
inline constexpr auto kExclusive = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
inline constexpr auto kBlockShared = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA;
inline constexpr auto kGpu = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;

/// Their WQE; bytes that they leave as they were are not judged.
struct RdmaWriteFormat {
  static constexpr bool kNamesLast = false;
  /// They ring, write the record, and ring again.
  static constexpr bool kRecordFirst = false;

  static __device__ std::uint64_t address(const uint4 (&w)[4]) {
    return std::uint64_t{byte_swap(w[2].z)} << 32 | byte_swap(w[2].w);
  }
  static __device__ bool is_right(const uint4 (&w)[4], const TxQueueHandle& queue,
                                  std::uint64_t index) {
    const std::uint64_t sequence = sequence_of(address(w));
    return w[0].x == byte_swap((static_cast<std::uint32_t>(index) & 0xffffU) << 8 |
                               DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE) &&
           w[0].y == byte_swap(qpn_ds(queue.sqn, 3)) && w[1].x == w[2].z && w[1].y == w[2].w &&
           w[1].z == byte_swap(kRkey) && w[2].x == byte_swap(length_of(sequence)) &&
           w[2].y == byte_swap(queue.lkey);
  }
};

inline doca_gpu_dev_verbs_qp make_qp(const RigQueue& queue) {
  doca_gpu_dev_verbs_qp qp{};
  qp.sq_num = kSqn;
  qp.sq_num_shift8 = kSqn << 8;
  qp.sq_num_shift8_be = byte_swap(kSqn << 8);
  qp.sq_num_shift8_be_3ds = byte_swap(qpn_ds(kSqn, 3));
  qp.sq_wqe_num = kDepth;
  qp.sq_wqe_mask = kDepth - 1;
  qp.sq_wqe_daddr = reinterpret_cast<std::uint8_t*>(queue.wqe.get());
  qp.sq_dbrec = &queue.record.get()->send_counter.raw;
  qp.sq_db = queue.doorbell.get();
  qp.cq_sq.cqe_daddr = reinterpret_cast<std::uint8_t*>(queue.cqe.get());
  qp.cq_sq.cqe_num = kDepth;
  qp.cq_sq.cqe_mask = kDepth - 1;
  qp.cq_sq.cqe_size = sizeof(Cqe);
  qp.cq_sq.mem_type = DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU;
  qp.nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB;
  qp.mem_type = DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU;
  return qp;
}

}  // namespace ringside::bench
