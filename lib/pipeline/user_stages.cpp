// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/user_stages.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "kernels/stage.hpp"
#include "lib/base/error.hpp"

namespace ringside::pipeline {

namespace fs = std::filesystem;

class UserStages::Object {
 public:
  explicit Object(const std::string& file) : file_(file) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      throw usage_error(fmt::format("cannot load the stage: {}", dlerror()),
                        "name a shared object that includes kernels/stage.hpp");
    }
    const auto layout =
        reinterpret_cast<std::uint32_t (*)()>(dlsym(handle_, "ringside_stage_layout"));
    if (layout == nullptr || layout() != kRingsideStageLayout) {
      dlclose(handle_);
      throw usage_error(fmt::format("{} was built for another version of Ringside", file),
                        "build it again, with this version's kernels/stage.hpp");
    }
  }
  ~Object() { dlclose(handle_); }
  Object(const Object&) = delete;

  stages::UserFunction function(const std::string& name) const {
    void* const found = dlsym(handle_, name.c_str());
    if (found == nullptr) {
      throw usage_error(fmt::format("{} has no function {}", file_, name),
                        fmt::format("define it with RINGSIDE_STAGE({}, packet, params)", name));
    }
    return reinterpret_cast<stages::UserFunction>(found);
  }

  std::span<const char> device_code() const {
    const auto* const begin = static_cast<const char*>(dlsym(handle_, "ringside_stage_cuda"));
    const auto* const end = static_cast<const char*>(dlsym(handle_, "ringside_stage_cuda_end"));
    if (begin == nullptr || end == nullptr) {
      throw usage_error(
          fmt::format("{} has no code for a GPU", file_),
          "build it with RINGSIDE_STAGE_CUDA (kernels/stage.hpp), or name its source");
    }
    return {begin, end};
  }

 private:
  std::string file_;
  void* handle_;
};

UserStages::UserStages(GiveUp give_up, std::chrono::milliseconds limit)
    : give_up_(std::move(give_up)), limit_(limit) {}

UserStages::~UserStages() = default;

stages::UserFunction UserStages::function(const UserStage& stage) {
  return object(stage).function(stage.function);
}

std::span<const char> UserStages::device_code(const UserStage& stage) {
  Object& holder = object(stage);
  holder.function(stage.function);  // of the same source, and the linker would name it less well
  return holder.device_code();
}

UserStages::Object& UserStages::object(const UserStage& stage) {
  const std::string& file = stage.object.empty() ? stage.source : stage.object;
  std::unique_ptr<Object>& object = objects_[file];
  if (object == nullptr && stage.source.empty()) {
    object = std::make_unique<Object>(fs::absolute(file));
  } else if (object == nullptr) {
    const TemporaryFolder folder;
    const fs::path built = folder.path() / "stage.so";
    const Compiled compiled = compile_shared_object(file, built, give_up_, limit_);
    if (!compiled.in_time) {
      throw usage_error(fmt::format("{}: {}", file, compiled.said),
                        "simplify it, or build it yourself and name it by object:");
    }
    if (!compiled.done) {
      throw usage_error(fmt::format("{} does not compile", file), "\n" + compiled.said);
    }
    object = std::make_unique<Object>(built);
  }
  return *object;
}

}  // namespace ringside::pipeline
