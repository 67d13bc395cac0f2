// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/buffers.hpp"

#include <rte_mbuf.h>

namespace ringside {

Buffers::Buffers(GpuPool& pool, std::size_t count) : pool_(pool), mbufs_(pool.take(count)) {
  iova_.reserve(count);
  for (const rte_mbuf* mbuf : mbufs_) {
    // Memory keys are registered with iova = address, whatever EAL's iova mode is.
    iova_.push_back(reinterpret_cast<std::uintptr_t>(mbuf->buf_addr) + RTE_PKTMBUF_HEADROOM);
    length_ = std::uint32_t{mbuf->buf_len} - RTE_PKTMBUF_HEADROOM;
  }
}

}  // namespace ringside
