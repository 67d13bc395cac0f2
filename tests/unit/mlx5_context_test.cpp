// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Opening a device by PCI address, and errors in words.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "lib/mlx5/capabilities.hpp"
#include "lib/mlx5/command_error.hpp"
#include "lib/mlx5/context.hpp"
#include "lib/mlx5/syndrome.hpp"
#include "mlx5_fixture.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Context, device_is_found_by_its_pci_address) {
  const mlx5::Context context = mlx5::Context::open(kNicAddress);
  EXPECT_EQ(context.name(), "mlx5_0");
  EXPECT_EQ(context.pci_address(), kNicAddress);
}

TEST(Context, address_without_a_verbs_device_is_a_usage_error_that_lists_the_others) {
  try {
    mlx5::Context::open("0000:17:00.0");
    FAIL() << "was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_TRUE(has(error.what(), "0000:17:00.0")) << error.what();
    EXPECT_TRUE(has(error.remedy(), kNicAddress)) << error.remedy();
  }
}

TEST(Context, folder_that_is_no_pci_device_has_no_address) {
  EXPECT_EQ(mlx5::pci_address_of("/nowhere"), "");
}

TEST(Capabilities, limits_are_those_of_a_device_that_can_run_rings) {
  const mlx5::Context context = mlx5::Context::open(kNicAddress);
  const mlx5::Capabilities can = mlx5::Capabilities::query(context);
  EXPECT_GE(can.max_ring_entries, 1024U);
  EXPECT_GE(can.max_completion_entries, can.max_ring_entries);
  EXPECT_GE(can.max_send_queues, 8U);
  EXPECT_GE(can.max_receive_queues, 8U);
  EXPECT_EQ(can.min_inline, prm::InlineMode::kNone);
  EXPECT_FALSE(can.completion_follows_data) << "a sanitized NIC gives the order of PCIe";
  EXPECT_TRUE(can.vlan_insertion);
}

TEST(CommandError, refusal_names_command_object_status_and_syndrome) {
  prm::Mailbox<prm::command_out::kSize> out;
  out.set(prm::command_out::status, static_cast<std::uint32_t>(prm::Status::kBadResourceState));
  out.set(prm::command_out::syndrome, 0x1d2c3b);
  const Error error =
      mlx5::command_error(prm::Opcode::kModifySq, "send queue of 64", out.data(), EREMOTEIO);
  for (const char* part :
       {"MODIFY_SQ", "send queue of 64", "BAD_RES_STATE", "0x09", "0x001d2c3b"}) {
    EXPECT_TRUE(has(error.what(), part)) << part << " in: " << error.what();
  }
  EXPECT_FALSE(error.remedy().empty());
}

TEST(CommandError, command_that_never_reached_the_device_gives_errno) {
  const prm::Mailbox<prm::command_out::kSize> out;
  const Error error =
      mlx5::command_error(prm::Opcode::kCreateRq, "receive queue", out.data(), EPERM);
  EXPECT_TRUE(has(error.what(), "EPERM")) << error.what();
  EXPECT_TRUE(has(error.remedy(), "root")) << error.remedy();
}

TEST(CommandError, unknown_numbers_are_shown) {
  prm::Mailbox<prm::command_out::kSize> out;
  out.set(prm::command_out::status, 0x77);
  const Error error =
      mlx5::command_error(static_cast<prm::Opcode>(0xabc), "object", out.data(), EREMOTEIO);
  EXPECT_TRUE(has(error.what(), "0xabc")) << error.what();
  EXPECT_TRUE(has(error.what(), "0x77")) << error.what();
}

TEST(Syndrome, error_cqe_is_told_by_name_and_number) {
  EXPECT_TRUE(has(mlx5::syndrome_text(0x04), "LOCAL_PROTECTION_ERR (0x04)"));
  EXPECT_TRUE(has(mlx5::syndrome_text(0x99), "0x99"));
  EXPECT_TRUE(has(mlx5::error_text(true, 0x04, 0x51, 7), "vendor syndrome 0x51, WQE 7"));
  EXPECT_TRUE(has(mlx5::error_text(true, 0x04, 0x93, 7), "0x93 (page fault of on-demand paging)"));
}

}  // namespace
}  // namespace ringside::test
