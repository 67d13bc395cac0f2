// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A mapping in the address space that unmaps itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ringside {

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Maps `size` bytes (a multiple of the page size) of `fd`, shared, at a multiple of `alignment`
  /// (a power of two, at least the page size). Empty on failure, with errno set.
  static Mapping map(int fd, std::size_t size, std::size_t alignment, int protection) noexcept;
  /// The same of zeroed memory that devices reach too: in huge pages, where it fills some and the
  /// system gives them. A child process does not have it. With a `name` it is a memfd, shared:
  /// "/memfd:NAME" in /proc/self/maps.
  static Mapping for_devices(std::size_t size, std::size_t alignment,
                             const std::string& name = {}) noexcept;

  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }
  /// Gives the mapping to the caller, who unmaps it.
  std::uint8_t* release() noexcept {
    size_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  Mapping(std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}
  static Mapping place(int fd, std::size_t size, std::size_t alignment, int protection,
                       int flags) noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ringside
