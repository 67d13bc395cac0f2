// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/device_tree.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriverFolder = "/dev/shm/softcx/drivers/mlx5_core";

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path);
  file << text << '\n';
  if (!file.flush()) {
    throw ringside::Error(fmt::format("cannot write '{}'", path.string()),
                          "is there room in memory for a tmpfs?");
  }
}

/// What DPDK's PCI bus and mlx5 driver read of a ConnectX-7, or of a VF of one.
void make_pci_function(const Port& port, bool is_vf) {
  const fs::path folder = fs::path(kPciFolder) / port.bdf;
  fs::create_directories(folder / "net" / port.netdev);
  write_file(folder / "vendor", "0x15b3");
  write_file(folder / "device", is_vf ? "0x101e" : "0x1021");
  write_file(folder / "subsystem_vendor", "0x15b3");
  write_file(folder / "subsystem_device", "0x0023");
  write_file(folder / "class", "0x020000");
  write_file(folder / "numa_node", "0");
  write_file(folder / "max_vfs", "0");
  write_file(folder / "uevent", fmt::format("DRIVER=mlx5_core\nPCI_CLASS=20000\nPCI_ID=15B3:{}\n"
                                            "PCI_SUBSYS_ID=15B3:0023\nPCI_SLOT_NAME={}",
                                            is_vf ? "101E" : "1021", port.bdf));
  std::string resource;  // six BARs and the ROM: none is mapped
  for (int line = 0; line < 7; ++line) {
    resource += fmt::format("{0:#018x} {0:#018x} {0:#018x}{1}", 0, line < 6 ? "\n" : "");
  }
  write_file(folder / "resource", resource);
  write_file(folder / "net" / port.netdev / "dev_port", "0");
  write_file(folder / "net" / port.netdev / "dev_id", "0x0");
  fs::create_directory_symlink(kDriverFolder, folder / "driver");
}

void make_rdma_device(const Port& port) {
  const fs::path pci = fs::path("../../pci") / port.bdf;
  const fs::path device = fs::path(kIbFolder) / port.ibdev;
  fs::create_directories(device / "ports/1/hw_counters");
  fs::create_directory_symlink(pci, device / "device");
  write_file(device / "ports/1/hw_counters/out_of_buffer", "0");
  const fs::path verbs = fs::path(kIbFolder) / port.uverbs;
  fs::create_directories(verbs);
  fs::create_directory_symlink(pci, verbs / "device");
  write_file(verbs / "ibdev", port.ibdev);
}

}  // namespace

std::vector<std::string> make_device_tree(const std::vector<Port>& ports, const FaultPlan& faults) {
  fs::create_directories(kDriverFolder);
  for (const auto& port : ports) {
    make_pci_function(port, faults.find(FaultKind::kVfUntrusted, port.index) != nullptr);
    make_rdma_device(port);
  }
  std::vector<std::string> hidden;
  const fs::path machine = "/sys/bus/pci/devices";
  if (!fs::is_directory(machine)) return hidden;
  for (const auto& device : fs::directory_iterator(machine)) {
    const fs::path link = fs::path(kPciFolder) / device.path().filename();
    if (fs::exists(link)) {
      hidden.push_back(link.filename());
    } else {
      fs::create_directory_symlink(device.path(), link);
    }
  }
  return hidden;
}

}  // namespace softcx
