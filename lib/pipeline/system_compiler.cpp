// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/system_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lib/base/error.hpp"

extern char** environ;

namespace ringside::pipeline {
namespace {

namespace fs = std::filesystem;

/// Where "kernels/stage.hpp" lies: installed with this program, or in the source tree that it was
/// built from.
std::string header_folder() {
  std::error_code unknown;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", unknown).parent_path() / RINGSIDE_HEADERS_INSTALLED;
  return fs::exists(installed / "kernels/stage.hpp", unknown)
             ? installed.string()
             : std::string(RINGSIDE_HEADERS_SOURCE);
}

std::string compiler() {
  const char* const chosen = std::getenv("CXX");
  return chosen != nullptr && *chosen != '\0' ? chosen : "c++";
}

/// Without the files.
std::vector<std::string> command() {
  return {compiler(), "-std=c++20", "-O2", "-fPIC", "-shared", "-Wall", "-I" + header_folder()};
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

/// As execvp() would find it.
fs::path in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

/// Another file there has another time or size.
std::string identity(const fs::path& link) {
  std::error_code missing;
  const fs::path file = fs::canonical(link, missing);
  const auto written = fs::last_write_time(file, missing).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.string(), fs::file_size(file, missing), written);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (none) {
    throw Error(fmt::format("there is no folder for temporary files: {}", none.message()),
                "set TMPDIR to a folder that may be written");
  }
  std::string name = temporary / "ringside-stage-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make the folder {}: {}", name, errno_text(errno)),
                "set TMPDIR to a folder that may be written");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Compiled compile_shared_object(const fs::path& source, const fs::path& object) {
  const TemporaryFolder folder;
  std::vector<std::string> words = command();
  words.insert(words.end(), {source, "-o", object});
  int status = 0;
  std::string said = run_compiler(words, folder.path() / "log", status);
  return {status == 0, std::move(said)};
}

std::string compiler_key() {
  std::string key = identity(in_path(compiler())) + identity("/proc/self/exe");
  for (const std::string& word : command()) key += word + '\n';
  return key;
}

}  // namespace ringside::pipeline
