// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/eal.hpp"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/dpdk/hugepages.hpp"
#include "lib/dpdk/log_level.hpp"

namespace ringside {
namespace {

Error eal_error(const std::vector<std::string>& args, int error_number) {
  const bool huge = std::ranges::find(args, "--no-huge") == args.end();
  const auto sizes = list_hugepages();
  if (huge && free_hugepage_bytes(sizes) == 0) {
    return Error("EAL has no hugepages to work with", hugepage_remedy(sizes));
  }
  const std::string what = fmt::format("EAL did not start, {}", dpdk_errno_text(error_number));
  switch (error_number) {
    case EINVAL:
      return usage_error(what, "see its message above, and the EAL options of DPDK");
    case EACCES:
    case EPERM:
      return Error(what, "run as root");
    case ENOMEM:
      return Error(what, hugepage_remedy(sizes));
    default:
      return Error(what, "see its message above");
  }
}

}  // namespace

Eal::Eal(std::vector<std::string> args) : args_(std::move(args)) {
  std::vector<char*> argv;
  for (std::string& arg : args_) argv.push_back(arg.data());
  register_log_type();
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    throw eal_error(args_, rte_errno);
  }
  take_log_level();
}

Eal::~Eal() {
  rte_eal_cleanup();
}

std::vector<unsigned> Eal::cpus() {
  std::vector<unsigned> cpus;
  unsigned lcore = 0;
  RTE_LCORE_FOREACH(lcore) {
    const rte_cpuset_t set = rte_lcore_cpuset(lcore);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<unsigned> Eal::workers() {
  std::vector<unsigned> workers;
  unsigned lcore = 0;
  RTE_LCORE_FOREACH_WORKER(lcore) workers.push_back(lcore);
  return workers;
}

}  // namespace ringside
