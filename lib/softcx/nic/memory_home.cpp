// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/memory_home.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace softcx {
namespace {

constexpr const char* kSharedWithKernels = "/memfd:shared-gpu";

std::uint32_t number_of(const std::string& gpu) {
  static std::mutex mutex;
  static auto& known = *new std::vector<std::string>;
  const std::lock_guard lock(mutex);
  auto found = std::find(known.begin(), known.end(), gpu);
  if (found == known.end()) found = known.insert(known.end(), gpu);
  return static_cast<std::uint32_t>(found - known.begin()) + 1;
}

}  // namespace

MemoryHome home_of(std::span<const MappedArea> areas) {
  MemoryHome home;
  for (const MappedArea& area : areas) {
    if (!area.readable) return {number_of(area.name), true};
    home.kernels_see |= area.name.starts_with(kSharedWithKernels);
  }
  return home;
}

MemoryHome home_of_file(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return {};
  std::vector<MappedArea> areas = mapped_areas(0, ~std::uint64_t{0});
  std::erase_if(areas, [&](const MappedArea& area) {
    return area.device != info.st_dev || area.inode != info.st_ino;
  });
  return home_of(areas);
}

}  // namespace softcx
