// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What /sys and /proc say, from copies of them.
#include "lib/pipeline/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ringside::pipeline::test {
namespace {

using Numbers = std::vector<std::uint16_t>;

TEST(Machine, lists_of_cpus_are_read) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11"), (Numbers{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5"), (Numbers{5}));
  EXPECT_EQ(parse_cpu_list(""), Numbers{});
}

TEST(Machine, what_is_no_list_of_cpus_says_nothing) {
  for (const char* const text : {"x", "3-1", "1;2", "1-", "70000"}) {
    EXPECT_EQ(parse_cpu_list(text), Numbers{}) << text;
  }
}

TEST(Machine, a_machine_that_tells_nothing_is_not_known) {
  const Machine machine = read_machine(testing::TempDir() + "no_such_machine");
  EXPECT_TRUE(machine.cores.empty());
  EXPECT_TRUE(machine.hugepages.empty());
  EXPECT_TRUE(machine.pci_devices.empty());
  EXPECT_EQ(machine.memory_bytes, 0U);
}

TEST(Machine, gpus_are_told_from_other_devices_and_have_their_memory_bar) {
  const std::filesystem::path root = testing::TempDir() + "machine";
  const auto device = [&root](const char* address, const char* vendor, const char* kind) {
    const auto folder = root / "sys/bus/pci/devices" / address;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << '\n';
    std::ofstream(folder / "class") << kind << '\n';
    return folder;
  };
  device("0000:03:00.0", "0x10de", "0x040300");  // the sound device of a graphics card
  device("0000:04:00.0", "0x15b3", "0x020000");
  device("0000:02:00.0", "0x10de", "0x030000");
  std::ofstream(device("0000:01:00.0", "0x10de", "0x030200") / "resource")
      << "0xa0000000 0xa0ffffff 0x40200\n"
         "0x3000000000 0x33ffffffff 0x14220c\n"
         "0 0 0\n0x3400000000 0x3401ffffff 0x14220c\n0 0 0\n0 0 0\n";
  const Machine machine = read_machine(root);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].address, "0000:01:00.0");
  EXPECT_EQ(machine.gpus[0].bar_bytes, std::uint64_t{16} << 30);
  EXPECT_EQ(machine.gpus[1].bar_bytes, std::nullopt);
  EXPECT_EQ(machine.pci_devices.size(), 4U);
}

}  // namespace
}  // namespace ringside::pipeline::test
