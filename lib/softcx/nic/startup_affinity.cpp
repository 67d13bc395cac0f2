// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/startup_affinity.hpp"

namespace softcx {
namespace {

cpu_set_t g_startup_affinity;

__attribute__((constructor)) void save_affinity() {
  CPU_ZERO(&g_startup_affinity);
  sched_getaffinity(0, sizeof g_startup_affinity, &g_startup_affinity);
}

}  // namespace

const cpu_set_t& startup_affinity() noexcept {
  return g_startup_affinity;
}

}  // namespace softcx
