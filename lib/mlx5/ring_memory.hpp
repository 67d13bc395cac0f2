// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where rings lie. The owner of the memory says how the three parties reach it: the NIC by umem and
// offset, the CPU by a pointer, kernels by the CPU's pointer plus a constant.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::mlx5 {

/// A piece of an arena, zeroed.
struct RingMemory {
  std::uint32_t umem_id;
  std::uint64_t offset;      ///< in the umem
  std::uint8_t* data;        ///< for the CPU
  std::int64_t view_offset;  ///< kernel pointer = data + view_offset

  template <class T>
  T* host() const noexcept {
    return reinterpret_cast<T*>(data);
  }
  template <class T>
  T* kernel() const noexcept {
    return reinterpret_cast<T*>(data + view_offset);
  }
};

/// Cuts pieces off memory that was registered as one umem, in order, never to be given back.
class RingArena {
 public:
  /// Rings start on pages of this size, records and words on lines.
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kLine = 64;

  RingArena(std::uint32_t umem_id, std::uint8_t* data, std::size_t size,
            std::int64_t view_offset) noexcept
      : umem_id_(umem_id), data_(data), size_(size), view_offset_(view_offset) {}

  /// Throws Error when the arena is too small, which is a fault of its maker.
  RingMemory take(std::size_t bytes, std::size_t alignment);

 private:
  std::uint32_t umem_id_;
  std::uint8_t* data_;
  std::size_t size_;
  std::int64_t view_offset_;
  std::size_t used_ = 0;
};

}  // namespace ringside::mlx5
