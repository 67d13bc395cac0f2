// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/mapping.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "lib/gpu/align.hpp"

namespace ringside {

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Mapping Mapping::map(int fd, std::size_t size, std::size_t alignment, int protection) noexcept {
  // Reserve enough that an aligned piece lies inside, map over that piece, return the rest.
  const std::size_t reserved = size + alignment;
  void* area =
      ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return {};
  auto* const begin = static_cast<std::uint8_t*>(area);
  const auto address = reinterpret_cast<std::uintptr_t>(area);
  std::uint8_t* const aligned = begin + (round_up(address, alignment) - address);
  const int flags = MAP_SHARED | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0);
  if (::mmap(aligned, size, protection, flags, fd, 0) == MAP_FAILED) {
    const int error = errno;
    ::munmap(begin, reserved);
    errno = error;
    return {};
  }
  if (aligned != begin) ::munmap(begin, static_cast<std::size_t>(aligned - begin));
  auto* const end = begin + reserved;
  if (aligned + size != end) {
    ::munmap(aligned + size, static_cast<std::size_t>(end - (aligned + size)));
  }
  return {aligned, size};
}

}  // namespace ringside
