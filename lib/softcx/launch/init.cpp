// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/init.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "lib/base/error.hpp"

namespace softcx {

int run_as_init(const SignalWatch& signals, const std::function<void()>& exec_command) {
  const pid_t command = fork();
  if (command < 0) {
    throw ringside::Error(fmt::format("cannot fork: {}", ringside::errno_text(errno)),
                          "raise the limit of processes");
  }
  if (command == 0) {
    signals.restore();
    exec_command();
  }
  for (;;) {
    siginfo_t info{};
    const int number = sigwaitinfo(&signals.watched(), &info);
    if (number == SIGCHLD) {
      int status = 0;
      pid_t ended = 0;
      while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == command) return exit_status(status);
      }
    } else if (number > 0 && info.si_code == SI_QUEUE) {
      // Only the launcher queues: what a terminal or kill(2) sends to the process group is not
      // passed on, the command is in that group itself.
      kill(command, number);
    }
  }
}

void die_with_parent(int parent_alive) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd lifeline{parent_alive, 0, 0};
  if (poll(&lifeline, 1, 0) == 1) _exit(1);
}

}  // namespace softcx
