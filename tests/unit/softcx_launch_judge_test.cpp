// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

TEST(Judge, a_broken_rule_is_told_with_object_count_first_values_and_source) {
  const Judgement judgement = judge(
      R"({"ports": [], "broken": [{"rule": "send.ds-count", "object": "mlx5_0: send queue 0x104",
                                   "times": 3, "first": "ds 1 at index 7"}]})");
  EXPECT_TRUE(judgement.broken);
  EXPECT_EQ(judgement.lines,
            "softcx: sanitize: send.ds-count: mlx5_0: send queue 0x104: 3 times, first: ds 1 at "
            "index 7\n"
            "softcx: sanitize:   The ds count covers the segments that the opcode needs. (PRM, "
            "Control Segment)\n");
}

TEST(Judge, every_process_is_judged) {
  const char* const broken =
      R"({"broken": [{"rule": "cq.overrun", "object": "a", "times": 1, "first": "full"}]})";
  EXPECT_TRUE(judge(std::string(R"({"broken": []} )") + broken).broken);
  EXPECT_TRUE(judge(broken + std::string(R"( {"broken": []})")).broken);
}

const std::string kOpened = R"({"opened": true} )";
const std::string kClean = R"({"ports": [], "broken": []} )";

TEST(Judge, a_clean_run_is_told_from_one_that_opened_no_port) {
  EXPECT_EQ(judge(kOpened + kClean).lines, "softcx: sanitize: no rule was broken\n");
  for (const Judgement& judgement : {judge(kOpened + kClean), judge("")}) {
    EXPECT_FALSE(judgement.broken);
    EXPECT_TRUE(judgement.complete);
  }
  EXPECT_NE(judge("").lines.find("nothing was judged"), std::string::npos);
}

TEST(Judge, process_that_opened_a_port_and_left_no_report_makes_a_run_incomplete) {
  const Judgement alone = judge(kOpened);
  EXPECT_FALSE(alone.complete);
  EXPECT_EQ(alone.lines.find("no rule was broken"), std::string::npos) << alone.lines;
  EXPECT_NE(alone.lines.find("1 of 1 processes"), std::string::npos) << alone.lines;
  const Judgement one_of_two = judge(kOpened + kOpened + kClean);
  EXPECT_FALSE(one_of_two.complete);
  EXPECT_NE(one_of_two.lines.find("1 of 2 processes"), std::string::npos) << one_of_two.lines;
  EXPECT_TRUE(judge(kOpened + kOpened + kClean + kClean).complete);
}

TEST(Judge, damage_does_not_hide_what_came_before_it_and_does_not_pass_for_clean) {
  const Judgement judgement = judge(
      R"({"broken": [{"rule": "cq.overrun", "object": "a", "times": 1, "first": "full"}]} {"po)");
  EXPECT_TRUE(judgement.broken);
  EXPECT_FALSE(judgement.complete);
  EXPECT_NE(judgement.lines.find("cannot be read"), std::string::npos);
  EXPECT_EQ(judge("{").lines.find("no rule"), std::string::npos);
}

TEST(RuleTable, names_and_numbers_are_unique_and_every_rule_has_a_text_and_a_source) {
  std::set<std::string_view> names;
  std::set<RuleId> ids;
  for (const RuleEntry& entry : rule_table()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(ids.insert(entry.rule).second) << entry.name;
    EXPECT_NE(entry.name.find('.'), std::string_view::npos) << entry.name;
    EXPECT_EQ(entry.text.back(), '.') << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_EQ(find_rule(entry.name), &entry);
    EXPECT_EQ(find_rule(entry.rule), &entry);
  }
}

TEST(RuleTable, markdown_has_a_line_a_rule_with_the_four_columns) {
  const std::string text = rules_markdown();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines, rule_table().size() + 2);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '|')), lines * 5);
  EXPECT_NE(text.find("| cq.overrun | "), std::string::npos);
}

}  // namespace
}  // namespace softcx
