// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What queues of striding rings have in common, whoever owns them.
//
// The CQ has an entry for each stride, and a CQE takes one stride at least. So the CQE that
// overwrites another lies a whole ring of strides behind it, in a buffer that the NIC gets only
// after the other one's was given back: the CQ's consumer index may run ahead to all that was
// received, and what is kept can still be read.
//
// Buffers are used up one after the other, and each stride of them is some CQE's: a packet's, a
// filler's or an error's. So strides that were released tell whole buffers, as they do to DPDK's
// driver; a CQE's wqe_id need not hold more than the buffer's place in the ring.
#pragma once

#include <cstdint>

#include "lib/device/impl/rx_cqe.hpp"
#include "lib/device/scope.hpp"
#include "lib/mlx5/format/striding_queue.hpp"

namespace ringside {

/// Of the CQE's buffer.
RS_DEVICE std::uint32_t place_in_ring(const StridingBuffers& buffers, const Cqe& cqe) {
  return cqe.wqe_id.value() & ((1U << buffers.log_buffers) - 1);
}

/// Of the packet of a CQE, whose wqe_counter is the stride.
RS_DEVICE std::uint64_t strided_iova(const StridingBuffers& buffers, const Cqe& cqe,
                                     std::uint32_t stride) {
  return buffers.iova[place_in_ring(buffers, cqe)] +
         (std::uint64_t{stride} << buffers.log_stride_bytes) + buffers.padding;
}

/// This thread's share of the strides of the CQEs from `first` up to `end`, which the scope has
/// acquired and not given back.
template <Scope S>
RS_DEVICE std::uint32_t strides_share(S& scope, const RxQueueHandle& queue, std::uint64_t first,
                                      std::uint64_t end) {
  std::uint32_t strides = 0;
  RS_NOT_UNROLLED
  for (std::uint64_t n = first + scope.rank(); n < end; n += scope.size()) {
    strides += strides_of(cqe_at(queue, n)->byte_count.value());
  }
  return strides;
}

/// Tells the NIC which buffers are its again, and the next kernel how far this one is. One thread,
/// with a barrier behind all that was released.
RS_DEVICE void announce_buffers(const RxQueueHandle& queue, const StridingBuffers& buffers,
                                const RxQueueState& state) {
  *queue.state = state;
  write_receive_records(queue, state.received, *buffers.released >> buffers.log_strides,
                        buffers.log_buffers);
}

}  // namespace ringside
