// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The mappings of this process, as /proc/self/maps lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softcx {

struct MappedArea {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool shared = false;
  std::uint64_t file_offset = 0;
  std::uint64_t device = 0;  ///< of the file, a dev_t; numbers of inodes are of a device
  std::uint64_t inode = 0;   ///< 0: anonymous
  std::string name;          ///< a path, "/memfd:NAME (deleted)", "[heap]", or empty
};

/// The areas that overlap [begin, end), in order. Gaps are not filled.
std::vector<MappedArea> mapped_areas(std::uint64_t begin, std::uint64_t end);

}  // namespace softcx
