// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/report.hpp"

#include <gtest/gtest.h>

namespace softcx {
namespace {

std::vector<Port> one_port() {
  std::vector<Port> ports;
  ports.emplace_back(0U, NullSpec{});
  return ports;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != text.npos;
}

TEST(Report, no_text_gives_no_lines) {
  EXPECT_EQ(summarize("", one_port()), "");
}

TEST(Report, drops_are_named_by_cause_and_absent_ones_are_not) {
  const auto lines = summarize(
      R"({"ports": [{"index": 0, "rx_wire_packets": 5, "rx_delivered": 2,
                     "rx_dropped": {"rx_runt": 1, "no_rule": 2, "rule_drop": 0}}]})",
      one_port());
  EXPECT_TRUE(contains(lines, "received 5 packets"));
  EXPECT_TRUE(contains(lines, "dropped 3 (no_rule 2, rx_runt 1)"));
  EXPECT_FALSE(contains(lines, "rule_drop"));
  EXPECT_FALSE(contains(lines, "add up"));
}

TEST(Report, send_queue_errors_and_the_wqes_they_cost_are_said) {
  const auto lines = summarize(
      R"({"ports": [{"index": 0, "tx_queue_errors": 2,
                     "tx_dropped": {"failed_wqe": 2, "flushed_wqe": 7}}]})",
      one_port());
  EXPECT_TRUE(contains(lines, "port 0: 2 send queue errors"));
  EXPECT_TRUE(contains(lines, "dropped 9 (failed_wqe 2, flushed_wqe 7)"));
  EXPECT_FALSE(contains(summarize(R"({"ports": [{"index": 0}]})", one_port()), "queue errors"));
}

TEST(Report, packets_that_no_cause_explains_are_said) {
  const auto lines = summarize(
      R"({"ports": [{"index": 0, "rx_wire_packets": 5, "rx_delivered": 2}]})", one_port());
  EXPECT_TRUE(contains(lines, "do not add up: 5 against 2"));
}

TEST(Report, every_process_is_reported) {
  const auto lines = summarize(
      R"({"ports": [{"index": 0}], "violations": ["first"]}
         {"ports": [{"index": 0}], "violations": ["second"]})",
      one_port());
  EXPECT_TRUE(contains(lines, "violation: first"));
  EXPECT_TRUE(contains(lines, "violation: second"));
}

TEST(Report, damaged_text_is_said_after_what_could_be_read) {
  for (const char* damage : {"{", "[1]", "7", R"({"ports": [{"index": 9}]})",
                             R"({"ports": [{"index": "0"}]})", R"({"ports": 1})"}) {
    const auto lines = summarize(std::string(R"({"violations": ["first"]})") + damage, one_port());
    EXPECT_TRUE(contains(lines, "violation: first")) << damage;
    EXPECT_TRUE(contains(lines, "is damaged")) << damage;
  }
}

}  // namespace
}  // namespace softcx
