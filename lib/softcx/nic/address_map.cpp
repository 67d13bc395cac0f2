// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/address_map.hpp"

#include <sys/sysmacros.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace softcx {

std::vector<MappedArea> mapped_areas(std::uint64_t begin, std::uint64_t end) {
  std::vector<MappedArea> areas;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    MappedArea area;
    char rights[5] = {};
    unsigned major = 0, minor = 0;
    int name = 0;
    const int fields = std::sscanf(
        line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &area.begin,
        &area.end, rights, &area.file_offset, &major, &minor, &area.inode, &name);
    if (fields != 7 || area.end <= begin) continue;
    area.device = makedev(major, minor);
    if (area.begin >= end) break;
    area.readable = rights[0] == 'r';
    area.writable = rights[1] == 'w';
    area.shared = rights[3] == 's';
    area.name = line.substr(static_cast<std::size_t>(name));
    areas.push_back(std::move(area));
  }
  return areas;
}

}  // namespace softcx
