// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_driver.hpp"

#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_kvargs.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/gpudev_front.hpp"
#include "lib/gpu/pci_abi.hpp"
#include "lib/gpu/vdev_abi.hpp"

namespace ringside {
namespace {

using Front = GpudevFront<CudaMemory>;

constexpr std::uint16_t kNvidiaVendor = 0x10de;

int attribute(CUdevice_attribute which, CUdevice device) {
  int value = 0;
  cuda().check(cuda().cuDeviceGetAttribute_(&value, which, device), "read a GPU's properties");
  return value;
}

/// Makes the gpudev device. Throws Error.
void create(const char* name, rte_device* eal_device, CUdevice device) {
  auto memory = std::make_shared<CudaMemory>(device);
  std::size_t total = 0;
  cuda().check(cuda().cuDeviceTotalMem_(&total, device), "read a GPU's memory size");
  const int processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  const Front::Properties properties{static_cast<std::uint32_t>(processors), total};
  if (Front::create(name, eal_device, properties, std::move(memory)) != 0) {
    throw Error(fmt::format("gpudev takes no device '{}'", name), "");
  }
}

/// What both buses' probes have in common. `find`: the CUDA device, or throws.
template <class Find>
int probe(rte_device* eal_device, Find find) {
  const char* name = rte_dev_name(eal_device);
  try {
    std::string why;
    if (cuda_api(why) == nullptr) throw Error(why, "");
    create(name, eal_device, find(name));
    return 0;
  } catch (const Error& error) {
    Front::log_error("%s: %s\n", name, error.what());
    return -ENODEV;
  }
}

int pci_probe(rte_pci_driver*, rte_pci_device* pci) {
  return probe(device_of(pci), [](const char* address) {
    CUdevice device = 0;
    cuda().check(cuda().cuDeviceGetByPCIBusId_(&device, address),
                 fmt::format("find the CUDA device at {}", address));
    return device;
  });
}

int pci_remove(rte_pci_device* pci) {
  return Front::remove(rte_dev_name(device_of(pci)));
}

int read_ordinal(const char*, const char* value, void* result) {
  int& ordinal = *static_cast<int*>(result);
  const char* end = value + std::strlen(value);
  const auto [stop, error] = std::from_chars(value, end, ordinal);
  return error == std::errc() && stop == end && ordinal >= 0 ? 0 : -EINVAL;
}

int ordinal_of(const char* args) {
  static constexpr const char* kKeys[] = {"ordinal", nullptr};
  int ordinal = 0;
  if (args == nullptr || *args == '\0') return ordinal;
  rte_kvargs* list = rte_kvargs_parse(args, kKeys);
  const int result =
      list == nullptr ? -EINVAL : rte_kvargs_process(list, kKeys[0], read_ordinal, &ordinal);
  rte_kvargs_free(list);
  if (result != 0) {
    throw Error(fmt::format("'{}' are no arguments of {}", args, kCudaDriverName),
                "write ordinal=N, N from 0");
  }
  return ordinal;
}

int vdev_probe(rte_vdev_device* vdev) {
  const rte_devargs* devargs = rte_dev_devargs(device_of(vdev));
  return probe(device_of(vdev), [devargs](const char*) {
    const int ordinal = ordinal_of(devargs != nullptr ? devargs->args : nullptr);
    CUdevice device = 0;
    int count = 0;
    cuda().check(cuda().cuDeviceGetCount_(&count), "count CUDA devices");
    if (ordinal >= count) {
      throw Error(fmt::format("there is no CUDA device {}", ordinal),
                  fmt::format("this machine has {}, counted from 0", count));
    }
    cuda().check(cuda().cuDeviceGet_(&device, ordinal),
                 fmt::format("take CUDA device {}", ordinal));
    return device;
  });
}

int vdev_remove(rte_vdev_device* vdev) {
  return Front::remove(rte_dev_name(device_of(vdev)));
}

// Any GPU that CUDA takes, never a list of ids, which would end at the day it was written. The bus
// compares the whole class word, so the display classes are listed: VGA and 3D controllers.
constexpr rte_pci_id nvidia_class(std::uint32_t class_id) {
  return {class_id, kNvidiaVendor, RTE_PCI_ANY_ID, RTE_PCI_ANY_ID, RTE_PCI_ANY_ID};
}
constexpr rte_pci_id kNvidiaGpus[] = {nvidia_class(0x030000), nvidia_class(0x030200), {}};

rte_pci_driver pci_driver{.probe = pci_probe, .remove = pci_remove, .id_table = kNvidiaGpus};
rte_vdev_driver vdev_driver{.probe = vdev_probe, .remove = vdev_remove};

[[gnu::constructor]] void register_cuda_driver() {
  Front::register_log("pmd.gpu.cuda");
  pci_driver.driver.name = kCudaDriverName;
  rte_pci_register(&pci_driver);
  vdev_driver.driver.name = kCudaDriverName;
  rte_vdev_register(&vdev_driver);
}

}  // namespace

void log_cuda_freed_while_running(const char* device, const char* action,
                                  const void* address) noexcept {
  Front::log_busy(device, action, CudaMemory::kFreeCall, address);
}

std::shared_ptr<CudaMemory> cuda_memory_of(const char* gpudev_name) {
  return Front::memory_of(gpudev_name);
}

}  // namespace ringside
