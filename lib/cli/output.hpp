// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the user sees. A reader that has gone away (a closed pipe) is remembered, not thrown: the
// program then stops in good order.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace ringside::cli {

class Output {
 public:
  /// Does not own `file`.
  explicit Output(std::FILE* file) noexcept : file_(file) {}

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
  }
  void write(std::string_view text) noexcept {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) lost_ = true;
  }
  void flush() noexcept {
    if (std::fflush(file_) != 0) lost_ = true;
  }
  /// Nobody reads any more.
  bool lost() const noexcept { return lost_; }
  std::FILE* file() const noexcept { return file_; }

 private:
  std::FILE* file_;
  bool lost_ = false;
};

}  // namespace ringside::cli
