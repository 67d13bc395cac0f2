// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/user_stages.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "kernels/stage.hpp"
#include "lib/base/error.hpp"

extern char** environ;

namespace ringside::pipeline {
namespace {

namespace fs = std::filesystem;

/// A folder of one's own, gone when destroyed.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = fs::temp_directory_path() / "ringside-stage-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(fmt::format("cannot make the folder {}: {}", name, errno_text(errno)),
                  "set TMPDIR to a folder that may be written");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Where "kernels/stage.hpp" lies: installed with this program, or in the source tree that it was
/// built from.
std::string header_folder() {
  const fs::path installed =
      fs::read_symlink("/proc/self/exe").parent_path() / RINGSIDE_HEADERS_INSTALLED;
  return fs::exists(installed / "kernels/stage.hpp") ? installed.string()
                                                     : std::string(RINGSIDE_HEADERS_SOURCE);
}

/// What the command wrote to standard error; `status`: 0 when it has succeeded.
std::string run_compiler(const std::vector<std::string>& command, const fs::path& log,
                         int& status) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw Error(fmt::format("cannot start the compiler {}: {}", command[0], errno_text(failed)),
                "install a C++ compiler, or set CXX to one");
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  return text.str();
}

}  // namespace

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

UserStages::UserStages() = default;
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
    const char* const chosen = std::getenv("CXX");
    const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "c++";
    int status = 0;
    const std::string said = run_compiler({compiler, "-std=c++20", "-O2", "-fPIC", "-shared",
                                           "-Wall", "-I" + header_folder(), file, "-o", built},
                                          folder.path() / "log", status);
    if (status != 0) throw usage_error(fmt::format("{} does not compile", file), "\n" + said);
    object = std::make_unique<Object>(built);
  }
  return *object;
}

}  // namespace ringside::pipeline
