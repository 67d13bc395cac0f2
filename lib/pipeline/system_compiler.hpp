// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The machine's C++ compiler, for code that CPU threads run: $CXX, or c++.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::pipeline {

/// A folder of one's own, gone when destroyed. Throws Error where it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Compiled {
  bool done;
  std::string said;  ///< by the compiler, warnings too
};

/// Makes a shared object of a source file that may include kernels/. Throws Error where there is no
/// compiler.
Compiled compile_shared_object(const std::filesystem::path& source,
                               const std::filesystem::path& object);

/// What a shared object depends on beside its source: the compiler's file, how it is called, and
/// this program's file, which stands for the headers that it was built with.
std::string compiler_key();

}  // namespace ringside::pipeline
