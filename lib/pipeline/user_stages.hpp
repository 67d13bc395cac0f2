// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stages of the user's: shared objects, and source files that are compiled when a pipeline starts.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "kernels/stages/user.hpp"
#include "lib/pipeline/stages.hpp"
#include "lib/pipeline/system_compiler.hpp"

namespace ringside::pipeline {

/// Holds what it has loaded; functions are good for as long as it lives.
class UserStages {
 public:
  /// Both are for the compiler.
  explicit UserStages(GiveUp give_up, std::chrono::milliseconds limit = kCompilerLimit);
  ~UserStages();

  /// Throws Stopped, and usage_error: a source that does not compile (with what the compiler says
  /// of it), an object that cannot be loaded or was built for another layout, a function that is
  /// not there.
  stages::UserFunction function(const UserStage& stage);
  /// The device code that a shared object holds: a fat binary (kernels/stage.hpp). Throws
  /// usage_error as function() does, and for an object without any.
  std::span<const char> device_code(const UserStage& stage);

 private:
  class Object;
  Object& object(const UserStage& stage);

  GiveUp give_up_;
  std::chrono::milliseconds limit_;
  std::map<std::string, std::unique_ptr<Object>> objects_;  ///< by file
};

}  // namespace ringside::pipeline
