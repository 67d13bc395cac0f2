// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/ring_memory.hpp"

#include <atomic>

#include "lib/base/error.hpp"

namespace ringside::mlx5 {

void DirectAccess::read(void* to, std::size_t offset, std::size_t size) {
  std::memcpy(to, data_ + offset, size);
}

void DirectAccess::write(std::size_t offset, const void* from, std::size_t size) {
  std::memcpy(data_ + offset, from, size);
}

void DirectAccess::write_word(std::size_t offset, std::uint32_t word) {
  // Release: a NIC that sees the word sees all that was written before it.
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(data_ + offset))
      .store(word, std::memory_order_release);
}

RingMemory RingArena::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t start = (used_ + alignment - 1) / alignment * alignment;
  if (start > size_ || bytes > size_ - start) {
    throw Error(fmt::format("ring memory of {} bytes has no room for {} more", size_, bytes), "");
  }
  used_ = start + bytes;
  return {umem_id_, start, kernel_data_ + start, access_};
}

}  // namespace ringside::mlx5
