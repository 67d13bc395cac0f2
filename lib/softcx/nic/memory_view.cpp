// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/memory_view.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "lib/base/unique_fd.hpp"
#include "lib/softcx/nic/address_map.hpp"
#include "lib/softcx/nic/device_memory.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {
namespace {

constexpr std::uint64_t kBasePage = 4096;
/// Hugepages must lie at multiples of their size: the view has the same offset in a gigabyte as the
/// original, whatever the page size.
constexpr std::uint64_t kViewAlignment = std::uint64_t{1} << 30;

std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}
std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The part of an area that is to be seen: whole pages of the area's own size.
struct Part {
  MappedArea area;
  ringside::UniqueFd file;
  std::uint64_t begin, end;
};

/// The file behind an area, also when it has been unlinked or its descriptor was closed.
ringside::UniqueFd open_area(const MappedArea& area) {
  const std::string path = fmt::format("/proc/self/map_files/{:x}-{:x}", area.begin, area.end);
  return ringside::UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

std::uint64_t page_size_of(int fd) {
  struct statfs info {};
  if (::fstatfs(fd, &info) != 0 || info.f_type != HUGETLBFS_MAGIC) return kBasePage;
  return static_cast<std::uint64_t>(info.f_bsize);
}

std::optional<std::vector<Part>> open_parts(const std::vector<MappedArea>& areas,
                                            std::uint64_t begin, std::uint64_t end) {
  std::vector<Part> parts;
  for (const MappedArea& area : areas) {
    if (!area.shared || area.inode == 0) return std::nullopt;
    ringside::UniqueFd file = open_area(area);
    if (!file) return std::nullopt;
    const std::uint64_t page = page_size_of(file.get());
    const std::uint64_t from = round_down(std::max(area.begin, begin), page);
    const std::uint64_t to = round_up(std::min(area.end, end), page);
    parts.push_back({area, std::move(file), from, to});
  }
  return parts;
}

/// Reserves [begin, end) at another place; nullptr when there is none.
std::uint8_t* reserve(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t length = end - begin;
  void* slack = ::mmap(nullptr, length + kViewAlignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slack == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::uint8_t*>(slack);
  const std::uint64_t skip = (begin - reinterpret_cast<std::uintptr_t>(start)) % kViewAlignment;
  if (skip != 0) ::munmap(start, skip);
  if (kViewAlignment - skip != 0) ::munmap(start + skip + length, kViewAlignment - skip);
  return start + skip;
}

bool map_parts(const std::vector<Part>& parts, std::uint64_t begin, std::uint64_t length,
               Memory& memory) {
  const std::uint64_t first = parts.front().begin;
  const std::uint64_t last = parts.back().end;
  std::uint8_t* const view = reserve(first, last);
  if (view == nullptr) return false;
  for (const Part& part : parts) {
    const auto offset = static_cast<off_t>(part.area.file_offset + (part.begin - part.area.begin));
    if (::mmap(view + (part.begin - first), part.end - part.begin, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, part.file.get(), offset) == MAP_FAILED) {
      ::munmap(view, last - first);
      return false;
    }
  }
  memory = {view + (begin - first), length, view, last - first, nullptr};
  return true;
}

bool covered(const std::vector<MappedArea>& areas, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = begin;
  for (const MappedArea& area : areas) {
    if (area.begin > at) return false;
    at = area.end;
  }
  return at >= end;
}

}  // namespace

int map_memory(const void* address, std::uint64_t length, bool write, Memory& memory) {
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uint64_t end = begin + length;
  if (length == 0 || end < begin) return EINVAL;
  // First: CUDA reserves the addresses of device memory in the process, as mappings of nothing.
  if (const int found = find_device_memory(begin, length, memory); found != ENOENT) return found;
  const std::vector<MappedArea> areas = mapped_areas(begin, end);
  if (!covered(areas, begin, end)) return EFAULT;
  const bool read_only = std::any_of(areas.begin(), areas.end(), [](const MappedArea& area) {
    return area.readable && !area.writable;
  });
  if (write && read_only) return EFAULT;

  const MemoryHome home = home_of(areas);
  if (const auto parts = open_parts(areas, begin, end)) {
    if (map_parts(*parts, begin, length, memory)) {
      memory.home = home;
      return 0;
    }
  }
  const bool readable =
      std::all_of(areas.begin(), areas.end(), [](const MappedArea& area) { return area.readable; });
  if (!readable) return EFAULT;
  memory = {static_cast<std::uint8_t*>(const_cast<void*>(address)), length, nullptr, 0, nullptr};
  memory.home = home;
  return 0;
}

int map_dmabuf(int fd, std::uint64_t offset, std::uint64_t length, std::uint64_t address,
               Memory& memory) {
  if (length == 0 || offset + length < offset) return EINVAL;
  const std::uint64_t page = page_size_of(fd);
  const std::uint64_t first = round_down(offset, page);
  const std::uint64_t size = round_up(offset + length, page) - first;
  const off_t file_size = ::lseek(fd, 0, SEEK_END);
  if (file_size >= 0 && static_cast<std::uint64_t>(file_size) < offset + length) return EINVAL;
  if (const int found = find_device_memory(address, length, memory); found != ENOENT) return found;
  void* view =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(first));
  if (view == MAP_FAILED) return errno;
  memory = {static_cast<std::uint8_t*>(view) + (offset - first), length, view, size, nullptr};
  memory.home = home_of_file(fd);
  return 0;
}

bool is_gpu_memory(const void* address, std::uint64_t length) {
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(address);
  const std::vector<MappedArea> areas = mapped_areas(begin, begin + length);
  return std::any_of(areas.begin(), areas.end(), [](const MappedArea& area) {
    return !area.readable || area.name.starts_with("/memfd:gpu_host");
  });
}

void unmap_memory(const Memory& memory) {
  if (memory.mapping != nullptr) ::munmap(memory.mapping, memory.mapping_length);
}

}  // namespace softcx
