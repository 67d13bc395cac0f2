// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cpu_set.hpp"

#include "lib/base/error.hpp"

namespace ringside {
namespace {

cpu_set_t affinity_now() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    // Only on machines with more CPUs than the set has bits: all that it has.
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
  }
  return set;
}

// Filled when the program is loaded, before main() and so before EAL.
const cpu_set_t kStartupCpus = affinity_now();

/// "0,1,4"
std::string text_of(const cpu_set_t& set) {
  std::string text;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) text += fmt::format("{}{}", text.empty() ? "" : ",", cpu);
  }
  return text;
}

}  // namespace

const cpu_set_t& startup_cpus() noexcept {
  return kStartupCpus;
}

cpu_set_t usable_cpus(const std::vector<unsigned>& cpus) {
  if (cpus.empty()) return startup_cpus();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned cpu : cpus) {
    if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &startup_cpus())) {
      throw usage_error(fmt::format("CPU {} cannot run threads of the host GPU", cpu),
                        "the process was started on CPUs " + text_of(startup_cpus()));
    }
    CPU_SET(cpu, &set);
  }
  return set;
}

}  // namespace ringside
