// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The table of rules of commands, and what a refused command's line in the log says of its rule.
#include <cstdlib>
#include <set>

#include "lib/softcx/rules/table.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

/// The log is asked for once in the life of a process.
[[maybe_unused]] const int kLogIsOn = ::setenv("SOFTCX_LOG", "1", 1);

class SoftcxCommandRules : public CommandTest {};

TEST_F(SoftcxCommandRules, log_names_the_command_the_rule_and_the_values) {
  constexpr prm::Field kDepth = prm::create_cq_in::cq_context / prm::cqc::log_cq_size;
  testing::internal::CaptureStderr();
  EXPECT_REFUSED(run_with(cq_command(), kDepth, 23), kExceedsLimit, kSizeAboveLimit);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "softcx: mlx5_0 CREATE_CQ refused by command.size-limit, status 0x8 syndrome "
            "0x50c301: CQ: log_cq_size 23 above 22\n");
}

TEST_F(SoftcxCommandRules, reserved_bits_are_told_with_their_place) {
  auto in = tis_command();
  prm::set_dword(in.data(), 0x30, 0x0010'0000);
  testing::internal::CaptureStderr();
  run(in);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("bits 0x100000 of the dword at 0x30 are"),
            std::string::npos);
}

/// Numbers are given in runs; one that is missing would be a rule without a row.
TEST_F(SoftcxCommandRules, every_number_of_a_run_has_a_row) {
  std::set<std::uint32_t> numbers{static_cast<std::uint32_t>(Rule::kInternal)};  // no user's fault
  for (const RuleEntry& entry : command_rules()) {
    EXPECT_EQ(entry.answer, NicAnswer::kStatus) << entry.name;
    EXPECT_NE(entry.status, Status::kOk) << entry.name;
    EXPECT_TRUE(entry.name.starts_with("command.")) << entry.name;
    numbers.insert(static_cast<std::uint32_t>(entry.rule));
  }
  for (const std::uint32_t number : numbers) {
    EXPECT_TRUE((number & 0xff) == 1 || numbers.contains(number - 1)) << std::hex << number;
  }
}

TEST_F(SoftcxCommandRules, every_number_of_steering_calls_has_a_row) {
  auto number = static_cast<std::uint32_t>(Rule::kMatchCriteria);
  for (const RuleEntry& entry : steering_rules()) {
    EXPECT_EQ(static_cast<std::uint32_t>(entry.rule), number++) << entry.name;
    EXPECT_NE(entry.error_number, 0) << entry.name;
  }
  EXPECT_EQ(static_cast<std::uint32_t>(Rule::kSteeringFdb), number - 1);
}

TEST_F(SoftcxCommandRules, markdown_has_status_and_syndrome_or_errno) {
  EXPECT_NE(rules_markdown().find("| EEXIST |"), std::string::npos);
  EXPECT_NE(rules_markdown().find("| RES_BUSY (0x06), syndrome 0x50c10f |"), std::string::npos);
}

}  // namespace
}  // namespace softcx
