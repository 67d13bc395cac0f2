// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/write_whole.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ringside {

bool write_whole(int file, std::span<const char> bytes) noexcept {
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace ringside
