// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/kernel_cache.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <system_error>

#include "lib/base/unique_fd.hpp"
#include "lib/gpu/cache_file.hpp"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 64;  // of some 0.5 MB each
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
constexpr std::chrono::days kLongestUnused{90};

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

/// FNV-1a.
std::uint64_t hash_of(std::span<const char> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3U;
  return hash;
}

/// The file has the whole key too, so that two of one name are told apart.
fs::path file_of(const std::string& key) {
  return folder() / fmt::format("{:016x}.kernel", hash_of(key));
}

/// Empty: it is not there, or others may have written it. What it holds will be executed.
std::vector<char> own_file(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat is {};
  if (!file || ::fstat(file.get(), &is) != 0 || !S_ISREG(is.st_mode) || is.st_uid != ::geteuid() ||
      (is.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return {};
  }
  std::vector<char> bytes(static_cast<std::size_t>(is.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got <= 0) return {};
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

/// A file's time is that of its last use. `newest` stays, however large it is.
void remove_oldest(const fs::path& newest) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code gone;  // another process may be removing them too
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".kernel" || entry.path() == newest) continue;
    const fs::file_time_type used = entry.last_write_time(gone);
    if (!gone) kept.emplace_back(used, entry);
  }
  std::ranges::sort(kept, std::greater());
  std::uintmax_t bytes = fs::file_size(newest, gone);
  const fs::file_time_type long_ago = fs::file_time_type::clock::now() - kLongestUnused;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto& [used, path] = kept[i];
    bytes += fs::file_size(path, gone);
    if (i + 1 >= kMostKept || bytes > kMostBytes || used < long_ago) fs::remove(path, gone);
  }
}

}  // namespace

// A file is the key, the hash of the code, the code: one that was cut or changed is none.
std::optional<std::vector<char>> cached_kernel(const std::string& key) {
  if (folder().empty()) return std::nullopt;
  std::vector<char> found = own_file(file_of(key));
  std::uint64_t hash = 0;
  const std::size_t head = key.size() + sizeof(hash);
  if (found.size() <= head || !std::equal(key.begin(), key.end(), found.begin())) {
    return std::nullopt;
  }
  std::memcpy(&hash, found.data() + key.size(), sizeof(hash));
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(head));
  if (hash != hash_of(found)) return std::nullopt;
  std::error_code ignored;  // it is used all the same
  fs::last_write_time(file_of(key), fs::file_time_type::clock::now(), ignored);
  return found;
}

void keep_kernel(const std::string& key, const std::vector<char>& code) {
  if (folder().empty()) return;
  try {
    if (fs::create_directories(folder())) fs::permissions(folder(), fs::perms::owner_all);
    std::array<char, sizeof(std::uint64_t)> hash{};
    const std::uint64_t value = hash_of(code);
    std::memcpy(hash.data(), &value, hash.size());
    write_whole_file(file_of(key), {key, hash, code});
    remove_left_overs(folder());
    remove_oldest(file_of(key));
  } catch (const fs::filesystem_error&) {
    // The next run compiles again.
  }
}

}  // namespace ringside
