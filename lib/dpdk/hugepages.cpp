// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/hugepages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ringside {
namespace {

std::uint64_t read_number(const std::filesystem::path& path) {
  std::uint64_t value = 0;
  std::ifstream(path) >> value;
  return value;
}

}  // namespace

std::vector<HugepageSize> list_hugepages(const std::string& folder) {
  std::vector<HugepageSize> sizes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t kilobytes = 0;
    if (std::sscanf(name.c_str(), "hugepages-%lukB", &kilobytes) != 1) continue;
    sizes.push_back({kilobytes << 10, read_number(entry.path() / "nr_hugepages"),
                     read_number(entry.path() / "free_hugepages")});
  }
  std::ranges::sort(sizes, {}, &HugepageSize::page_bytes);
  return sizes;
}

std::uint64_t free_hugepage_bytes(const std::vector<HugepageSize>& sizes) noexcept {
  std::uint64_t bytes = 0;
  for (const HugepageSize& size : sizes) bytes += size.page_bytes * size.free;
  return bytes;
}

std::string hugepage_remedy(const std::vector<HugepageSize>& sizes) {
  if (sizes.empty()) return "this kernel has no hugepages, use --no-huge";
  std::string text;
  for (const HugepageSize& size : sizes) {
    text += fmt::format("{}{} of {} pages of {} kB are free", text.empty() ? "" : ", ", size.free,
                        size.total, size.page_bytes >> 10);
  }
  const HugepageSize& smallest = sizes.front();
  return text + fmt::format(
                    "; add some (echo {} > /sys/kernel/mm/hugepages/hugepages-{}kB/"
                    "nr_hugepages), or use --no-huge",
                    smallest.total + 256, smallest.page_bytes >> 10);
}

}  // namespace ringside
