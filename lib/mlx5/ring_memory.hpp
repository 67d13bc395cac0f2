// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where rings, and the words that kernels keep about them, lie. The owner of the memory says how
// the three parties reach it: the NIC by umem and offset, kernels by a pointer, and the CPU by
// copies, since memory of a GPU may be out of its reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace ringside::mlx5 {

/// The CPU's way into an arena. For set-up and recovery, while no kernel uses what is copied.
class RingAccess {
 public:
  virtual ~RingAccess() = default;
  /// Throw Error. `offset`: from the arena's start. What is written is there for the NIC before
  /// anything that is written, or any command that is given, after it.
  virtual void read(void* to, std::size_t offset, std::size_t size) = 0;
  virtual void write(std::size_t offset, const void* from, std::size_t size) = 0;
  /// A word that the NIC may read at any time: a doorbell record's.
  virtual void write_word(std::size_t offset, std::uint32_t word) = 0;
};

/// Memory that the CPU reaches by plain pointers.
class DirectAccess final : public RingAccess {
 public:
  explicit DirectAccess(std::uint8_t* data) noexcept : data_(data) {}
  void read(void* to, std::size_t offset, std::size_t size) override;
  void write(std::size_t offset, const void* from, std::size_t size) override;
  void write_word(std::size_t offset, std::uint32_t word) override;

 private:
  std::uint8_t* data_;
};

template <class T>
std::vector<std::uint8_t> as_bytes(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A piece of an arena, zeroed.
struct RingMemory {
  std::uint32_t umem_id;
  std::size_t offset;  ///< in the arena, and in the umem
  std::uint8_t* data;  ///< for kernels
  RingAccess* access;

  template <class T>
  T* kernel() const noexcept {
    return reinterpret_cast<T*>(data);
  }

  template <class T>
  T read() const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    access->read(&value, offset, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> read_array(std::size_t count) const {
    std::vector<T> values(count);
    access->read(values.data(), offset, count * sizeof(T));
    return values;
  }
  template <class T>
  void write(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    access->write(offset, &value, sizeof(T));
  }
  template <class T>
  void write_array(const std::vector<T>& values) const {
    access->write(offset, values.data(), values.size() * sizeof(T));
  }
  /// `at`: bytes from the piece's start.
  void write_word(std::size_t at, std::uint32_t word) const {
    access->write_word(offset + at, word);
  }
};

/// Cuts pieces off memory, in order, never to be given back.
class RingArena {
 public:
  /// Rings start on pages of this size, records and words on lines.
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kLine = 64;
  /// Of memory that only kernels use.
  static constexpr std::uint32_t kNoUmem = 0xffffffff;

  /// `kernel_data`: what kernels know as its start. `access` outlives all pieces.
  RingArena(std::uint32_t umem_id, std::uint8_t* kernel_data, std::size_t size,
            RingAccess& access) noexcept
      : access_(&access), umem_id_(umem_id), kernel_data_(kernel_data), size_(size) {}

  /// Throws Error when the arena is too small, which is a fault of its maker.
  RingMemory take(std::size_t bytes, std::size_t alignment);

 private:
  RingAccess* access_;
  std::uint32_t umem_id_;
  std::uint8_t* kernel_data_;
  std::size_t size_;
  std::size_t used_ = 0;
};

/// Where a queue's parts go.
struct QueueArenas {
  RingArena& rings;   ///< what the NIC reads and writes, and its records
  RingArena& kernel;  ///< what only kernels use: near them, if it can be
};

}  // namespace ringside::mlx5
