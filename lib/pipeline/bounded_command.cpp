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

pid_t start(const std::vector<std::string>& words, int input, int output, pid_t group) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, group);
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

int end_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// A process group, so that all of a command can be killed, and a process in it that does so when
/// this one ends, be it by _exit() or a signal. A parent death signal (prctl) would reach the
/// command only, and not what it has started.
class Group {
 public:
  explicit Group(int nothing) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error("cannot make a pipe for a command", errno_text(errno));
    }
    const UniqueFd read_end(ends[0]);
    alive_ = UniqueFd(ends[1]);
    leader_ = start({"/bin/sh", "-c", "read line; kill -9 0"}, read_end.get(), nothing, 0);
  }
  ~Group() {
    ::kill(leader_, SIGKILL);
    end_of(leader_);
  }
  Group(const Group&) = delete;

  pid_t id() const { return leader_; }
  void kill_all() const { ::kill(-leader_, SIGKILL); }

 private:
  UniqueFd alive_;  // once it is closed, the leader reads an end
  pid_t leader_;
};

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

CommandEnd run_bounded(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                       const GiveUp& give_up) {
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // Not a pipe: its end would come only after that of all that was left running with it.
  const UniqueFd output(::memfd_create("ringside-command", MFD_CLOEXEC));
  if (!nothing || !output) throw Error("cannot keep what a command says", errno_text(errno));
  const Group group(nothing.get());
  const pid_t child = start(words, nothing.get(), output.get(), group.id());
  const Deadline deadline = Deadline::after_ms(static_cast<std::uint64_t>(limit.count()));
  CommandEnd end{true, 0, {}};
  while (::waitpid(child, &end.status, WNOHANG) == 0) {
    const bool stopped = give_up && give_up();
    if (stopped || deadline.passed()) {
      group.kill_all();
      end.status = end_of(child);
      end.in_time = false;
      if (stopped) throw Stopped(fmt::format("stopped while {} was running", words[0]));
      break;
    }
    std::this_thread::sleep_for(kLook);
  }
  end.said = text_of(output.get());
  return end;
}

}  // namespace ringside::pipeline
