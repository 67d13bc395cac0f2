// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_driver.hpp"

#include <rte_devargs.h>
#include <rte_eal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "lib/gpu/gpudev_front.hpp"
#include "lib/gpu/host_driver_args.hpp"
#include "lib/gpu/vdev_abi.hpp"

namespace ringside {
namespace {

using Front = GpudevFront<HostMemory>;

int probe(rte_vdev_device* vdev) {
  const rte_device* device = device_of(vdev);
  const char* name = rte_dev_name(device);
  if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
    Front::log_error("%s: works in primary processes only\n", name);
    return -ENOTSUP;
  }
  const rte_devargs* devargs = rte_dev_devargs(device);
  std::string problem;
  auto config = parse_host_driver_args(name, devargs != nullptr ? devargs->args : nullptr, problem);
  if (!config) {
    Front::log_error("%s: %s\n", name, problem.c_str());
    return -EINVAL;
  }
  const Front::Properties properties{static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)),
                                     config->total};
  return Front::create(name, device_of(vdev), properties,
                       std::make_shared<HostMemory>(std::move(*config)));
}

int remove(rte_vdev_device* vdev) {
  return Front::remove(rte_dev_name(device_of(vdev)));
}

rte_vdev_driver host_driver{.probe = probe, .remove = remove};

[[gnu::constructor]] void register_host_driver() {
  Front::register_log("pmd.gpu.host");
  host_driver.driver.name = kHostDriverName;
  rte_vdev_register(&host_driver);
}

}  // namespace

void log_freed_while_running(const char* device, const char* action, const char* cuda_call,
                             const void* address) noexcept {
  Front::log_busy(device, action, cuda_call, address);
}

std::shared_ptr<HostMemory> host_memory_of(const char* gpudev_name) {
  return Front::memory_of(gpudev_name);
}

}  // namespace ringside
