// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/problems.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace ringside::pipeline {

std::string to_text(const Problem& problem) {
  std::string text = problem.file;
  if (problem.mark.line > 0) {
    text += fmt::format(":{}:{}", problem.mark.line, problem.mark.column);
  }
  text += problem.severity == Problem::Severity::kError ? ": error: " : ": warning: ";
  if (!problem.path.empty()) text += problem.path + ": ";
  return text + problem.text;
}

Mark Problems::mark_of(std::string_view path) const {
  for (;;) {
    const auto found = marks_.find(std::string(path));
    if (found != marks_.end()) return found->second;
    const std::size_t end = path.find_last_of(".[");
    if (end == std::string_view::npos) break;
    path = path.substr(0, end);
  }
  return {};
}

void Problems::add_error(std::string file, Mark mark, std::string path, std::string text) {
  if (++errors_ > kMaxErrors) return;
  problems_.push_back(
      {Problem::Severity::kError, std::move(file), mark, std::move(path), std::move(text)});
}

void Problems::warn(const std::string& path, std::string text) {
  problems_.push_back({Problem::Severity::kWarning, file_, mark_of(path), path, std::move(text)});
}

bool Problems::any_error_in(std::string_view path) const {
  return std::ranges::any_of(problems_, [path](const Problem& problem) {
    return problem.severity == Problem::Severity::kError && problem.path.starts_with(path) &&
           (problem.path.size() == path.size() || problem.path[path.size()] == '.' ||
            problem.path[path.size()] == '[');
  });
}

std::vector<Problem> Problems::take() {
  if (any_error()) {
    std::erase_if(problems_, [](const Problem& problem) {
      return problem.severity == Problem::Severity::kWarning;
    });
  }
  std::ranges::stable_sort(problems_, [this](const Problem& a, const Problem& b) {
    const auto place = [this](const Problem& problem) {
      return std::tuple(problem.file != file_, problem.mark.line, problem.mark.column);
    };
    return place(a) < place(b);
  });
  if (errors_ > kMaxErrors) {
    problems_.push_back({Problem::Severity::kError,
                         file_,
                         {},
                         {},
                         fmt::format("and {} more errors", errors_ - kMaxErrors)});
  }
  return std::exchange(problems_, {});
}

}  // namespace ringside::pipeline
