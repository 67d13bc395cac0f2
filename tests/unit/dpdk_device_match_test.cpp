// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/dpdk/device_match.hpp"

namespace ringside {
namespace {

namespace fs = std::filesystem;

TEST(PciAddress, text_is_canonical) {
  EXPECT_EQ(PciAddress::parse("0000:ca:00.0")->text(), "0000:ca:00.0");
  EXPECT_EQ(PciAddress::parse("CA:1f.7")->text(), "0000:ca:1f.7");
  EXPECT_EQ(PciAddress::parse("10000:01:00.0")->text(), "10000:01:00.0");
}

TEST(PciAddress, what_is_no_address_is_refused) {
  for (const char* text : {"", "mlx5_0", "ca:00", "ca:00.8", "ca:20.0", "1ca:00.0", "ca:00.0,x=1",
                           "0000:ca:00.0 ", ":ca:00.0", "00:00:ca:00.0", "ca.00.0"}) {
    EXPECT_FALSE(PciAddress::parse(text)) << text;
  }
}

class PciFolder : public testing::Test {
 protected:
  PciFolder() {
    std::string pattern = (fs::temp_directory_path() / "pci-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~PciFolder() override { fs::remove_all(root_); }

  void add(const std::string& address, const char* vendor, const char* device,
           const char* class_code) const {
    const fs::path folder = root_ / address;
    fs::create_directory(folder);
    std::ofstream(folder / "vendor") << vendor << '\n';
    std::ofstream(folder / "device") << device << '\n';
    std::ofstream(folder / "class") << class_code << '\n';
  }

  fs::path root_;
};

TEST_F(PciFolder, functions_are_told_by_vendor_and_class) {
  add("0000:ca:00.1", "0x15b3", "0x101d", "0x020000");  // ConnectX-6 Dx
  add("0000:ca:00.0", "0x15b3", "0x1021", "0x020700");  // ConnectX-7, InfiniBand
  add("0000:05:00.0", "0x15b3", "0x1007", "0x020000");  // ConnectX-3 Pro: mlx4
  add("0000:3b:00.0", "0x10de", "0x2330", "0x030200");  // H100
  add("0000:3c:00.0", "0x10de", "0x22a3", "0x068000");  // NVSwitch
  add("0000:00:1f.6", "0x8086", "0x15fb", "0x020000");
  const auto functions = list_pci_functions(root_.string());
  ASSERT_EQ(functions.size(), 6U);
  std::string nics;
  std::string gpus;
  for (const auto& function : functions) {
    if (function.is_mlx5_nic()) nics += function.address.text() + " ";
    if (function.is_nvidia_gpu()) gpus += function.address.text() + " ";
  }
  EXPECT_EQ(nics, "0000:ca:00.0 0000:ca:00.1 ");
  EXPECT_EQ(gpus, "0000:3b:00.0 ");
}

TEST_F(PciFolder, entries_that_cannot_be_read_are_left_out) {
  add("0000:01:00.0", "0x15b3", "0x1021", "");
  add("0000:02:00.0", "15b3", "zz", "0x020000");
  add("readme", "0x15b3", "0x1021", "0x020000");
  fs::create_directory(root_ / "0000:03:00.0");
  EXPECT_TRUE(list_pci_functions(root_.string()).empty());
}

TEST_F(PciFolder, folder_is_eals) {
  setenv("SYSFS_PCI_DEVICES", root_.c_str(), 1);
  add("0000:ca:00.0", "0x15b3", "0x101d", "0x020000");
  EXPECT_EQ(list_pci_functions().size(), 1U);
  unsetenv("SYSFS_PCI_DEVICES");
  EXPECT_EQ(pci_devices_folder(), "/sys/bus/pci/devices");
}

TEST(PciList, machine_without_pci_has_no_functions) {
  EXPECT_TRUE(list_pci_functions("/nonexistent").empty());
}

}  // namespace
}  // namespace ringside
