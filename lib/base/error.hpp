// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Errors of the control path. An error says what failed, with which value, and what to do about it.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace ringside {

/// Wrong usage or configuration ends a program with exit code 2, a failed run with 1.
enum class ErrorKind { kRun, kUsage };

class Error : public std::runtime_error {
 public:
  /// `what`: what failed, with the offending value. `remedy`: what the user can do, may be empty.
  Error(const std::string& what, std::string remedy, ErrorKind kind = ErrorKind::kRun)
      : std::runtime_error(remedy.empty() ? what : what + ": " + remedy),
        problem_(what),
        remedy_(std::move(remedy)),
        kind_(kind) {}

  /// what() without the remedy.
  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }
  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return kind_ == ErrorKind::kUsage ? 2 : 1; }

 private:
  std::string problem_;
  std::string remedy_;
  ErrorKind kind_;
};

inline Error usage_error(const std::string& what, std::string remedy) {
  return Error(what, std::move(remedy), ErrorKind::kUsage);
}

/// "EACCES (Permission denied)"-like text of an errno value.
std::string errno_text(int error_number);

}  // namespace ringside
