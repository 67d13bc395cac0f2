// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/ring_memory.hpp"

#include "lib/base/error.hpp"

namespace ringside::mlx5 {

RingMemory RingArena::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t start = (used_ + alignment - 1) / alignment * alignment;
  if (start > size_ || bytes > size_ - start) {
    throw Error(fmt::format("ring memory of {} bytes has no room for {} more", size_, bytes), "");
  }
  used_ = start + bytes;
  return RingMemory{umem_id_, start, data_ + start, view_offset_};
}

}  // namespace ringside::mlx5
