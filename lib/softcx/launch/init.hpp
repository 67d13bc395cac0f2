// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The first process of the command's PID namespace.
#pragma once

#include <functional>

#include "lib/softcx/launch/signals.hpp"

namespace softcx {

/// Starts the command, reaps every process that ends, and returns the command's exit status; the
/// kernel kills what is left in the namespace when the caller exits. `exec_command` runs in the
/// command's process and does not return. Signals that the launcher passes on go to the command.
int run_as_init(const SignalWatch& signals, const std::function<void()>& exec_command);

/// Has the kernel kill the calling process when its parent dies. `parent_alive` is the read end of
/// a pipe whose write end only the parent holds: it tells whether the parent died before.
void die_with_parent(int parent_alive);

}  // namespace softcx
