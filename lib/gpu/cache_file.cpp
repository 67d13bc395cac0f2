// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cache_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "lib/base/unique_fd.hpp"
#include "lib/base/write_whole.hpp"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartSuffix = ".part";

/// The file of that name, locked. Nothing: it is not there, or somebody else's.
UniqueFd lock_part(const std::string& part, int create) noexcept {
  UniqueFd file(::open(part.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | create, 0644));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
  // Whoever had the lock before may have renamed the file, which must not be touched then.
  struct stat locked {
  }, named{};
  const bool same = ::fstat(file.get(), &locked) == 0 && ::stat(part.c_str(), &named) == 0 &&
                    locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  return same ? std::move(file) : UniqueFd();
}

void sync_folder(const fs::path& folder) noexcept {
  const UniqueFd file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

}  // namespace

bool write_whole_file(const fs::path& path,
                      std::initializer_list<std::span<const char>> pieces) noexcept {
  const std::string part = path.string() + kPartSuffix;
  const UniqueFd file = lock_part(part, O_CREAT);
  if (!file) return false;
  bool whole = ::ftruncate(file.get(), 0) == 0;  // a left-over may be in it
  for (const std::span<const char> piece : pieces) whole = whole && write_whole(file.get(), piece);
  // On the disk before it has its name: a machine that stops in between finds all or nothing.
  whole = whole && ::fsync(file.get()) == 0 && ::rename(part.c_str(), path.c_str()) == 0;
  if (whole) {
    sync_folder(path.parent_path());
  } else {
    ::unlink(part.c_str());  // still locked, so nobody else's
  }
  return whole;
}

void remove_left_overs(const fs::path& folder) noexcept {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() != kPartSuffix) continue;
    const UniqueFd file = lock_part(entry->path().string(), 0);
    if (file) ::unlink(entry->path().c_str());
  }
}

}  // namespace ringside
