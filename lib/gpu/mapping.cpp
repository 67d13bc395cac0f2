// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/unique_fd.hpp"
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
  return place(fd, size, alignment, protection, MAP_SHARED);
}

Mapping Mapping::for_devices(std::size_t size, std::size_t alignment,
                             const std::string& name) noexcept {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t aligned = size < kHugePage ? alignment : std::max(alignment, kHugePage);
  UniqueFd file;
  // Private: shared memory has huge pages only where the administrator has asked for it.
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (!name.empty()) {
    file = UniqueFd(::memfd_create(name.c_str(), MFD_CLOEXEC));
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) return {};
    flags = MAP_SHARED;
  }
  Mapping mapping = place(file.get(), size, aligned, PROT_READ | PROT_WRITE, flags);
  if (!mapping) return mapping;
  // A write after a fork would move a page away from under the devices that have it pinned.
  if (::madvise(mapping.data_, size, MADV_DONTFORK) != 0) return {};
  if (size >= kHugePage) ::madvise(mapping.data_, size, MADV_HUGEPAGE);  // refused: slower
  return mapping;
}

Mapping Mapping::place(int fd, std::size_t size, std::size_t alignment, int protection,
                       int flags) noexcept {
  // Reserve enough that an aligned piece lies inside, map over that piece, return the rest.
  const std::size_t reserved = size + alignment;
  void* area =
      ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return {};
  auto* const begin = static_cast<std::uint8_t*>(area);
  const auto address = reinterpret_cast<std::uintptr_t>(area);
  std::uint8_t* const aligned = begin + (round_up(address, alignment) - address);
  if (::mmap(aligned, size, protection, flags | MAP_FIXED, fd, 0) == MAP_FAILED) {
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
