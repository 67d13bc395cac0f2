// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The machine's C++ compiler, for code that CPU threads run: $CXX, or c++. What it compiles
// includes the headers of kernels/ as they were built into this program, whatever lies on the disk
// by now.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/pipeline/bounded_command.hpp"

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

/// A busy machine takes some seconds.
inline constexpr std::chrono::seconds kCompilerLimit{30};

struct Compiled {
  bool done;
  bool in_time;      ///< false: it did not end, and was killed
  std::string said;  ///< by the compiler, warnings too; where it said nothing, how it ended
};

/// Makes a shared object of a source file that may include kernels/stage.hpp and what that
/// includes. Throws Error where there is no compiler, and Stopped.
Compiled compile_shared_object(const std::filesystem::path& source,
                               const std::filesystem::path& object, const GiveUp& give_up = {},
                               std::chrono::milliseconds limit = kCompilerLimit);

/// Of what a compiler has said, the first line with an error; the first one where none has.
std::string first_error(const std::string& said);

/// What a shared object depends on beside its source: the compiler's files, what it says of its
/// version, how it is called, the environment that GCC and Clang read, and the headers. Runs it for
/// that, in some milliseconds. Throws as compile_shared_object() does, and Error where it does not
/// end.
std::string compiler_key(const GiveUp& give_up = {},
                         std::chrono::milliseconds limit = kCompilerLimit);

}  // namespace ringside::pipeline
