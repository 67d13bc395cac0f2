// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPUs that threads of the host GPU may use.
#pragma once

#include <sched.h>

#include <vector>

namespace ringside {

/// The CPUs that the process was started on. EAL pins the main thread to one of them, and threads
/// that it makes would inherit that one.
const cpu_set_t& startup_cpus() noexcept;

/// `cpus` as a set; the start-up CPUs when it is empty. Throws usage_error for a CPU that is not
/// one of these.
cpu_set_t usable_cpus(const std::vector<unsigned>& cpus);

}  // namespace ringside
