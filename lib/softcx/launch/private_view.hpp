// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The mounts of the command's private view. Everything is made below file systems that live in the
// view's own mount namespace, so that the end of the namespace removes all of it.
#pragma once

namespace softcx {

/// Everything that the launcher makes for the command lies below this folder.
inline constexpr const char* kRoot = "/dev/shm/softcx";
/// $RUNTIME_DIRECTORY of the command: DPDK keeps its runtime files below it.
inline constexpr const char* kRuntimeFolder = "/dev/shm/softcx/run";

/// Moves the calling process to new mount and network namespaces and its next child to a new PID
/// namespace. Throws ringside::Error.
void leave_namespaces();

/// To be called once by the first process of the new PID namespace: a /proc and a /sys of the new
/// namespaces, a tmpfs over /dev/shm in which the machine's entries stay visible beside kRoot, and
/// hugetlbfs mounts of its own below kRoot in place of the machine's. Throws ringside::Error.
void mount_private_view();

}  // namespace softcx
