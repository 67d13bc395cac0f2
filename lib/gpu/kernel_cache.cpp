// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/kernel_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "lib/gpu/cache_file.hpp"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 64;  // of some 0.5 MB each

/// Empty: there is none.
fs::path folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value != nullptr ? value : "");
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "ringside";
  }
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".cache/ringside" : fs::path();
}

/// FNV-1a; the file has the whole key too, so that two of one name are told apart.
fs::path file_of(const std::string& key) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : key) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3U;
  return folder() / fmt::format("{:016x}.kernel", hash);
}

void remove_oldest() {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code gone;  // another process may be removing them too
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".kernel") continue;
    const fs::file_time_type written = entry.last_write_time(gone);
    if (!gone) kept.emplace_back(written, entry);
  }
  if (kept.size() <= kMostKept) return;
  std::ranges::sort(kept);
  kept.resize(kept.size() - kMostKept);
  for (const auto& [time, path] : kept) fs::remove(path, gone);
}

}  // namespace

std::optional<std::vector<char>> cached_kernel(const std::string& key) {
  if (folder().empty()) return std::nullopt;
  std::ifstream file(file_of(key), std::ios::binary);
  std::string found(key.size(), '\0');
  if (!file.read(found.data(), static_cast<std::streamsize>(found.size())) || found != key) {
    return std::nullopt;
  }
  std::vector<char> code{std::istreambuf_iterator<char>(file), {}};
  return code.empty() ? std::nullopt : std::optional(std::move(code));
}

void keep_kernel(const std::string& key, const std::vector<char>& code) {
  if (folder().empty()) return;
  try {
    fs::create_directories(folder());
    write_whole_file(file_of(key), {key, code});
    remove_left_overs(folder());
    remove_oldest();
  } catch (const fs::filesystem_error&) {
    // The next run compiles again.
  }
}

}  // namespace ringside
