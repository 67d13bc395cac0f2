// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A NIC on a loop wire, as a GPU kernel: it takes the WQEs that the doorbell announces, copies their
// frames into the next receive slots and writes both CQEs. With queues and packets in device memory
// too, it is never what limits: it stands for a NIC that writes into GPU memory.
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/stream.hpp"

namespace ringside::bench {

inline constexpr std::uint32_t kNicThreads = 1024;
inline constexpr std::uint32_t kNicWarps = kNicThreads / 32;

struct LoopNicReport {
  std::uint64_t bad_wqes;  // not the WQE or the length that its place asks for
  std::uint64_t idle_ns;   // nothing was announced, or there was no slot
  std::uint64_t total_ns;
};

struct LoopNic {
  RxQueueHandle rx;
  TxQueueHandle tx;
  std::uint32_t frame;   // bytes of each frame
  std::uint32_t window;  // frames that have come when it starts
  const std::uint32_t* exit;
  LoopNicReport* report;
};

__device__ inline std::uint64_t nic_now_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// The CQE's last word, which holds its owner bit, released after the rest of it.
__device__ inline void write_cqe(Cqe* ring, std::uint32_t log_depth, std::uint32_t index,
                                 CqeOpcode opcode, std::uint32_t bytes, std::uint32_t wqe) {
  Cqe& cqe = ring[index & ((1U << log_depth) - 1)];
  cqe.byte_count = Be32::of(bytes);
  const std::uint32_t op_own =
      static_cast<std::uint32_t>(opcode) << 4 | ((index >> log_depth) & 1U);
  store_release_system(reinterpret_cast<std::uint32_t*>(&cqe.wqe_counter),
                       std::uint32_t{Be16::of(static_cast<std::uint16_t>(wqe)).raw} | op_own << 24);
}

/// A warp moves one frame; both ends are aligned to 16 bytes.
__device__ inline void copy_frame(std::uint64_t to, std::uint64_t from, std::uint32_t bytes) {
  for (std::uint32_t at = threadIdx.x % 32 * 16; at < bytes; at += 32 * 16) {
    *reinterpret_cast<uint4*>(to + at) = *reinterpret_cast<const uint4*>(from + at);
  }
}

/// One block a NIC of one queue.
__global__ void __launch_bounds__(kNicThreads) loop_nic(const LoopNic* nics) {
  __shared__ LoopNic nic;
  __shared__ std::uint32_t count;
  __shared__ std::uint32_t signalled;  // WQEs of the batch up to the last one that asks for a CQE
  __shared__ unsigned int bad_wqes;
  __shared__ bool over;
  if (threadIdx.x == 0) {
    nic = nics[blockIdx.x];
    bad_wqes = 0;
  }
  __syncthreads();
  const std::uint32_t rx_mask = (1U << nic.rx.log_depth) - 1;
  const std::uint32_t tx_mask = (1U << nic.tx.log_depth) - 1;
  const std::uint32_t warp = threadIdx.x / 32;
  const bool leads = threadIdx.x % 32 == 0;
  std::uint32_t received = nic.window;
  std::uint32_t sent = 0;
  std::uint32_t tx_cqes = 0;
  std::uint64_t idle_ns = 0;
  const std::uint64_t begin = nic_now_ns();
  for (std::uint32_t i = threadIdx.x; i < nic.window; i += kNicThreads) {
    write_cqe(nic.rx.cqe, nic.rx.log_cq_depth, i, CqeOpcode::kResponderSend, nic.frame, i);
  }
  for (;;) {
    if (threadIdx.x == 0) {
      const std::uint64_t before = nic_now_ns();
      do {
        over = load_relaxed_system(nic.exit) != 0;
        // Meets ring_doorbell(): the register's first word names the last WQE.
        const std::uint64_t doorbell = load_acquire_system(nic.tx.doorbell);
        const std::uint32_t last = byte_swap(static_cast<std::uint32_t>(doorbell)) >> 8;
        const std::uint32_t posted = doorbell == 0 ? 0 : (last + 1 - sent) & 0xffffU;
        const std::uint32_t record =
            byte_swap(load_acquire_system(&nic.rx.record->receive_counter.raw));
        const std::uint32_t slots = (record - received) & 0xffffU;
        count = posted < slots ? posted : slots;
      } while (count == 0 && !over);
      idle_ns += nic_now_ns() - before;
      signalled = 0;
    }
    __syncthreads();
    if (over) break;
    for (std::uint32_t i = warp; i < count; i += kNicWarps) {
      const SendWqe& wqe = nic.tx.wqe[(sent + i) & tx_mask];
      const std::uint32_t bytes = wqe.data.byte_count.value();
      const bool good = bytes == nic.frame && wqe.control.opmod_idx_opcode.value() ==
                                                  opmod_idx_opcode(sent + i, WqeOpcode::kSend);
      if (leads && !good) atomicAdd(&bad_wqes, 1U);
      copy_frame(nic.rx.slot_iova[(received + i) & rx_mask], wqe.data.address.value(),
                 good ? bytes : 0);
      if (leads && (wqe.control.fm_ce_se & kCeMask) == kCeAlways) atomicMax(&signalled, i + 1);
      __syncwarp();
      if (leads) {
        write_cqe(nic.rx.cqe, nic.rx.log_cq_depth, received + i, CqeOpcode::kResponderSend, bytes,
                  received + i);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0 && signalled != 0) {
      write_cqe(nic.tx.cqe, nic.tx.log_cq_depth, tx_cqes++, CqeOpcode::kRequester, 0,
                sent + signalled - 1);
    }
    received += count;
    sent += count;
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  nic.report->bad_wqes = bad_wqes;
  nic.report->idle_ns = idle_ns;
  nic.report->total_ns = nic_now_ns() - begin;
}

}  // namespace ringside::bench
