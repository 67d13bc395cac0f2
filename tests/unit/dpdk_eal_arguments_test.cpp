// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which devices EAL gets to see, and which NICs Ringside plugs itself.
#include "lib/dpdk/eal_arguments.hpp"

#include <gtest/gtest.h>

#include "lib/base/error.hpp"

namespace ringside::test {
namespace {

using Args = std::vector<std::string>;

PciFunction function(const char* address, std::uint16_t vendor, std::uint16_t device,
                     std::uint32_t class_code) {
  return {*PciAddress::parse(address), vendor, device, class_code};
}

const std::vector<PciFunction> kMachine{
    function("0000:03:00.0", 0x8086, 0x1592, 0x020000),  // a NIC that is not mlx5
    function("0000:17:00.0", 0x15b3, 0x1021, 0x020000),  // ConnectX-7
    function("0000:17:00.1", 0x15b3, 0x1021, 0x020000),
    function("0000:3b:00.0", 0x10de, 0x2330, 0x030200),  // H100
};

EalArguments split(Args options) {
  options.insert(options.begin(), "ringside");
  return split_eal_arguments(options, kMachine);
}

Args addresses(const EalArguments& arguments) {
  Args list;
  for (const NicArgument& nic : arguments.nics) list.push_back(nic.address.text());
  return list;
}

/// The arguments for EAL but for the program's name and the -a that matches nothing.
Args for_eal(const EalArguments& arguments) {
  EXPECT_GE(arguments.args.size(), 3U);
  EXPECT_EQ(arguments.args.front(), "ringside");
  EXPECT_EQ(*(arguments.args.end() - 2), "-a");
  EXPECT_EQ(PciAddress::parse(arguments.args.back())->domain, 0xffffU);
  return {arguments.args.begin() + 1, arguments.args.end() - 2};
}

std::string usage_of(const Args& options) {
  try {
    split(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(EalArguments, nic_is_taken_out_and_gpu_stays) {
  const auto arguments = split({"-l", "2-5", "-n", "4", "-a", "17:00.0", "-a", "3b:00.0"});
  EXPECT_EQ(addresses(arguments), Args{"0000:17:00.0"});
  EXPECT_EQ(for_eal(arguments), (Args{"-l", "2-5", "-n", "4", "-a", "3b:00.0"}));
}

TEST(EalArguments, every_spelling_of_allow_is_known) {
  for (const Args& spelling : {Args{"-a", "17:00.1"}, Args{"-a17:00.1"}, Args{"--allow", "17:00.1"},
                               Args{"--allow=17:00.1"}, Args{"-a", "pci:0000:17:00.1"}}) {
    const auto arguments = split(spelling);
    EXPECT_EQ(addresses(arguments), Args{"0000:17:00.1"}) << spelling.front();
    EXPECT_EQ(for_eal(arguments), Args{}) << spelling.front();
  }
}

TEST(EalArguments, devargs_stay_with_their_nic) {
  const auto arguments = split({"-a", "17:00.0,mprq_en=1,rxqs_min_mprq=1", "-a", "17:00.1"});
  ASSERT_EQ(arguments.nics.size(), 2U);
  EXPECT_EQ(arguments.nics[0].devargs, "mprq_en=1,rxqs_min_mprq=1");
  EXPECT_EQ(arguments.nics[1].devargs, "");
}

TEST(EalArguments, order_is_that_of_the_command_line_and_a_nic_comes_once) {
  EXPECT_EQ(addresses(split({"-a", "17:00.1", "-a", "17:00.0", "-a", "17:00.1"})),
            (Args{"0000:17:00.1", "0000:17:00.0"}));
}

TEST(EalArguments, without_allow_every_mlx5_nic_and_every_nvidia_gpu_is_meant) {
  const auto arguments = split({"-l", "0"});
  EXPECT_EQ(addresses(arguments), (Args{"0000:17:00.0", "0000:17:00.1"}));
  EXPECT_EQ(for_eal(arguments), (Args{"-l", "0", "-a", "0000:3b:00.0"}));
}

TEST(EalArguments, blocked_devices_are_left_out) {
  const auto arguments = split({"-b", "17:00.0", "--block=3b:00.0"});
  EXPECT_EQ(addresses(arguments), Args{"0000:17:00.1"});
  EXPECT_EQ(for_eal(arguments), Args{});
}

TEST(EalArguments, device_of_another_bus_is_left_to_eal) {
  const auto arguments = split({"-a", "auxiliary:mlx5_core.sf.2"});
  EXPECT_EQ(addresses(arguments), Args{});
  EXPECT_EQ(for_eal(arguments), (Args{"-a", "auxiliary:mlx5_core.sf.2"}));
}

TEST(EalArguments, address_without_a_device_is_named_with_the_nics_that_there_are) {
  const std::string text = usage_of({"-a", "0000:99:00.0"});
  EXPECT_TRUE(has(text, "0000:99:00.0")) << text;
  EXPECT_TRUE(has(text, "0000:17:00.0, 0000:17:00.1")) << text;
}

TEST(EalArguments, nic_that_is_not_mlx5_is_refused) {
  const std::string text = usage_of({"-a", "03:00.0"});
  EXPECT_TRUE(has(text, "0000:03:00.0")) << text;
  EXPECT_TRUE(has(text, "not mlx5")) << text;
}

TEST(EalArguments, allow_beside_block_is_refused) {
  EXPECT_TRUE(has(usage_of({"-a", "17:00.0", "-b", "17:00.1"}), "-a and -b"));
}

TEST(EalArguments, blocking_what_is_no_pci_address_is_refused) {
  EXPECT_TRUE(has(usage_of({"-b", "nonsense"}), "nonsense"));
}

}  // namespace
}  // namespace ringside::test
