// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What RxQueue is, of a striding ring: packets share buffers, and a slot is a CQE. Its strides are
// held until its packet was sent, or was let go of; a buffer goes back to the NIC when all of its
// strides did, and all buffers before it. Packets that a send queue keeps for long keep the others
// of their buffers too.
#pragma once

#include <cstdint>

#include "lib/device/rx.hpp"
#include "lib/mlx5/format/striding_queue.hpp"

namespace ringside {

/// Where packets lie that share buffers: their CQEs tell.
class StridePlaces {
 public:
  using Handle = StridingQueueHandle;
  RS_DEVICE explicit StridePlaces(const Handle& handle) : buffers_(handle.buffers) {}
  RS_DEVICE static const RxQueueHandle& slots_of(const Handle& handle) {
    return handle.completions;
  }

  RS_DEVICE static std::uint64_t before_cqe(const RxQueueHandle&, std::uint32_t) { return 0; }
  RS_DEVICE std::uint64_t iova(std::uint64_t known, const Cqe* cqe, const CqeTail& tail) const;

 protected:
  const StridingBuffers buffers_;
};

/// Calls are RxQueue's. A batch's completions may be fillers, by which the NIC gives up strides at
/// a buffer's end that are too few for the next packet: no packets, and no errors.
class StridedRxQueue : public RxQueueOf<StridePlaces> {
 public:
  using RxQueueOf::RxQueueOf;

  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE bool is_filler(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE Packet packet(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE Packet take(const RxBatch& batch, std::uint32_t i);

  /// ready(i), or half of the strides are no longer the NIC's: a batch that waits to be larger
  /// would have it drop packets. Any thread.
  RS_DEVICE bool is_enough(std::uint32_t i) const;
  /// Strides that were received, and not given back. Any thread.
  RS_DEVICE std::uint32_t kept() const;

  template <Block B>
  RS_DEVICE void give_back(B& block);
  /// Of a queue in reset: the next packet lies in the first stride of all. One thread.
  RS_DEVICE void empty_buffers() const { *buffers_.released = 0; }

 private:
  /// Strides from the first that was not given back up to the CQE's last, which was acquired.
  RS_DEVICE std::uint32_t strides_upto(const Cqe* cqe) const;
};

}  // namespace ringside

#include "lib/device/impl/strided.hpp"
