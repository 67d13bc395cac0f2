// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What one look at a completion queue entry saw (an acquire of its op_own): whose it is, and of an
// entry that is software's, its length, counter and syndromes. The NIC's writes before that of the
// entry, the packet among them, are visible to whoever knows that it is software's, and past a
// barrier to the block.
#pragma once

#include "lib/device/queue_error.hpp"
#include "lib/device/target.hpp"
#include "lib/mlx5/format/cqe.hpp"

// It is trivial, so that it can lie in block-shared memory.
#if defined(__CUDACC__)
#include "lib/device/impl/cqe_tail_cuda.hpp"
#else
namespace ringside {

/// The entry lies in memory that is near, so all but the owner is read when it is asked for, which
/// the acquire has made safe.
struct CqeTail {
  std::uint8_t op_own() const { return op_own_; }
  std::uint32_t length() const { return cqe_->byte_count.value(); }
  std::uint16_t wqe_counter() const { return cqe_->wqe_counter.value(); }
  QueueError error() const { return queue_error(*cqe_); }

  const Cqe* cqe_;
  std::uint8_t op_own_;
};

}  // namespace ringside
#endif
