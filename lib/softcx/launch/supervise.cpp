// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/supervise.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

namespace softcx {
namespace {

/// Reads once; false at the end of the stream.
bool read_some(int fd, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

void pass_on(const signalfd_siginfo& info, pid_t init) {
  const int number = static_cast<int>(info.ssi_signo);
  if (number != SIGCHLD && info.ssi_code == SI_USER) sigqueue(init, number, sigval{});
}

}  // namespace

Outcome supervise(const SignalWatch& signals, pid_t init, int report_fd) {
  const ringside::UniqueFd signal_fd(signalfd(-1, &signals.watched(), SFD_CLOEXEC));
  if (!signal_fd) {
    throw ringside::Error(fmt::format("no signalfd: {}", ringside::errno_text(errno)),
                          "raise the limit of open files");
  }
  Outcome outcome{};
  std::array<pollfd, 2> events{pollfd{signal_fd.get(), POLLIN, 0}, pollfd{report_fd, POLLIN, 0}};
  for (;;) {
    int status = 0;
    if (waitpid(init, &status, WNOHANG) == init) {
      outcome.exit_status = exit_status(status);
      break;
    }
    if (poll(events.data(), events.size(), -1) < 0) continue;
    signalfd_siginfo info{};
    if (events[0].revents != 0 && read(signal_fd.get(), &info, sizeof(info)) == sizeof(info)) {
      pass_on(info, init);
    }
    // A negative descriptor is left out of the poll: a closed stream would be ready for ever.
    if (events[1].revents != 0 && !read_some(report_fd, outcome.report)) events[1].fd = -1;
  }
  // Every writer was in init's namespace and is dead, so this ends.
  while (read_some(report_fd, outcome.report)) {
  }
  return outcome;
}

}  // namespace softcx
