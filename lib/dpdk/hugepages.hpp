// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How many hugepages there are, for errors that say what to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

struct HugepageSize {
  std::uint64_t page_bytes;
  std::uint64_t total;
  std::uint64_t free;
};

/// By size; `folder` is /sys/kernel/mm/hugepages but in tests.
std::vector<HugepageSize> list_hugepages(const std::string& folder = "/sys/kernel/mm/hugepages");
std::uint64_t free_hugepage_bytes(const std::vector<HugepageSize>& sizes) noexcept;
/// "0 of 512 pages of 2048 kB are free: ...": the state, and the command that adds pages.
std::string hugepage_remedy(const std::vector<HugepageSize>& sizes);

}  // namespace ringside
