// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/signals.hpp"

#include <sys/wait.h>

#include <initializer_list>

namespace softcx {

SignalWatch::SignalWatch() {
  std::signal(SIGCHLD, SIG_DFL);  // ignored by some parents: nobody could be waited for
  sigemptyset(&watched_);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) {
    sigaddset(&watched_, number);
  }
  sigprocmask(SIG_BLOCK, &watched_, &original_);
}

void SignalWatch::restore() const {
  sigprocmask(SIG_SETMASK, &original_, nullptr);
}

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace softcx
