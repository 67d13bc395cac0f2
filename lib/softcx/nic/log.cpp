// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace softcx {

bool log_enabled() {
  static const bool enabled = [] {
    const char* value = std::getenv("SOFTCX_LOG");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return enabled;
}

void print_line(std::string_view text) {
  // One write, so that lines of several threads and processes do not mix.
  const std::string line = fmt::format("softcx: {}\n", text);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void print_once(const std::string& text) {
  // Never destroyed: library destructors print, after those of static objects have run.
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& printed = *new std::set<std::string>;
  {
    const std::lock_guard lock(mutex);
    if (!printed.insert(text).second) return;
  }
  print_line(text);
}

}  // namespace softcx
