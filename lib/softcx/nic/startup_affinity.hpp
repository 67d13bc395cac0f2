// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPUs that the process was given, before EAL pinned its threads: the engine thread is not one
// of EAL's, and inherits the affinity of whichever thread opens the device.
#pragma once

#include <sched.h>

namespace softcx {

/// The affinity at the time that the library was loaded.
const cpu_set_t& startup_affinity() noexcept;

}  // namespace softcx
