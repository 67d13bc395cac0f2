// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// All that is wrong with a file, and where each of its values stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::pipeline {

/// From 1; line 0: the file as a whole.
struct Mark {
  int line = 0;
  int column = 0;
};

struct Problem {
  enum class Severity : std::uint8_t { kError, kWarning };
  Severity severity;
  std::string file;
  Mark mark;
  std::string path;  ///< as in interfaces[0].rx.queues[1].num_desc; empty: the file as a whole
  std::string text;  ///< the value, what is allowed, what may have been meant
};

/// "FILE:LINE:COLUMN: error: PATH: TEXT"
std::string to_text(const Problem& problem);

class Problems {
 public:
  /// Further errors are only counted: whoever reads them all?
  static constexpr std::size_t kMaxErrors = 1000;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  /// Remembers where the value at `path` stands.
  void locate(const std::string& path, Mark mark) { marks_.try_emplace(path, mark); }
  /// Where the value stands, or the innermost thing around it that the file has.
  Mark mark_of(std::string_view path) const;

  void error(Mark mark, std::string path, std::string text) {
    add_error(file_, mark, std::move(path), std::move(text));
  }
  void error(const std::string& path, std::string text) {
    error(mark_of(path), path, std::move(text));
  }
  void warn(const std::string& path, std::string text);
  /// In another file than the one that is loaded.
  void error_in(std::string file, Mark mark, std::string text) {
    add_error(std::move(file), mark, {}, std::move(text));
  }

  bool any_error() const { return errors_ != 0; }
  /// There is an error at `path` or within it: what was read there is not what the file means.
  bool any_error_in(std::string_view path) const;
  std::size_t errors() const { return errors_; }
  /// In the order of the file, and at the end how many there were above kMaxErrors. Warnings only
  /// when there are no errors, which may be their cause.
  std::vector<Problem> take();

 private:
  void add_error(std::string file, Mark mark, std::string path, std::string text);

  std::string file_;
  std::unordered_map<std::string, Mark> marks_;
  std::vector<Problem> problems_;
  std::size_t errors_ = 0;
};

}  // namespace ringside::pipeline
