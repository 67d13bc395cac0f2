// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/bounded_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

extern char** environ;

namespace ringside::pipeline {
namespace {

constexpr std::size_t kMostSaid = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kLook{2};  // beside a compiler's 300 ms and more

pid_t start(const std::vector<std::string>& words, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that all of it can be killed.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw Error(fmt::format("cannot start {}: {}", words[0], errno_text(failed)), "");
  }
  return child;
}

std::string text_of(int file) {
  std::string text;
  std::array<char, 4096> bytes{};
  ssize_t got = 0;
  while (text.size() < kMostSaid &&
         (got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(text.size()))) > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

CommandEnd run_bounded(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  // Not a pipe: its end would come only after that of all that was left running with it.
  const UniqueFd output(::memfd_create("ringside-command", MFD_CLOEXEC));
  if (!output) throw Error("cannot keep what a command says", errno_text(errno));
  const pid_t child = start(words, output.get());
  const Deadline deadline = Deadline::after_ms(static_cast<std::uint64_t>(limit.count()));
  CommandEnd end{true, 0, {}};
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &end.status, WNOHANG)) == 0 && !deadline.passed()) {
    std::this_thread::sleep_for(kLook);
  }
  if (ended == 0) {
    end.in_time = false;
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
  }
  end.said = text_of(output.get());
  return end;
}

}  // namespace ringside::pipeline
