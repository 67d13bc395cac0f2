// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Mbufs of a GPU pool that belong to a queue for its life, as addresses. Given back to the pool
// when destroyed, which has to be after the queue that the NIC writes them by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/gpu/gpu_pool.hpp"

namespace ringside {

class Buffers {
 public:
  /// Throws Error when the pool has not enough.
  Buffers(GpuPool& pool, std::size_t count);
  Buffers(Buffers&&) noexcept = default;
  Buffers& operator=(Buffers&&) = delete;
  ~Buffers() { pool_.give_back(mbufs_); }

  /// Where packets begin in each buffer, after the headroom, as the NIC is told.
  std::span<const std::uint64_t> iova() const noexcept { return iova_; }
  /// Bytes from there to the end of a buffer.
  std::uint32_t length() const noexcept { return length_; }

 private:
  GpuPool& pool_;
  std::vector<rte_mbuf*> mbufs_;
  std::vector<std::uint64_t> iova_;
  std::uint32_t length_ = 0;
};

}  // namespace ringside
