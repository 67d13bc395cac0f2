// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace softcx {
namespace {

using nlohmann::json;

class SoftcxReport : public testing::Test {
 protected:
  json make(const WireReport& wire) {
    const PortReport report{&device_, wire};
    return json::parse(report_json({&report, 1}));
  }
  Device device_{1, "0000:ca:00.1", "mlx5_1", "uverbs1", ""};
};

TEST_F(SoftcxReport, received_is_the_sum_of_delivered_and_dropped) {
  PortCounters& c = device_.counters;
  c.rx_wire_packets = 45;
  c.rx_delivered = 9;
  std::uint64_t value = 0;
  for (auto* counter :
       {&c.rx_out_of_buffer, &c.rx_oversize, &c.rx_runt, &c.rx_rule_drop, &c.rx_no_rule,
        &c.rx_queue_not_ready, &c.rx_length_error, &c.rx_cq_overrun, &c.rx_protection_error}) {
    counter->store(value++);
  }
  WireReport wire;
  wire.lost_packets = 5;
  wire.truncated_packets = 3;
  wire.waiting_packets = 2;
  const json port = make(wire)["ports"][0];
  EXPECT_EQ(port["index"], 1);
  EXPECT_EQ(port["rx_wire_packets"], 55);
  std::uint64_t sum = port["rx_delivered"];
  for (const auto& [cause, count] : port["rx_dropped"].items()) {
    sum += count.get<std::uint64_t>();
  }
  EXPECT_EQ(sum, port["rx_wire_packets"]);
  EXPECT_EQ(port["rx_dropped"]["out_of_buffer"], 0);
  EXPECT_EQ(port["rx_dropped"]["length_error"], 6);
}

TEST_F(SoftcxReport, frames_that_the_medium_refused_were_not_sent) {
  device_.counters.tx_packets = 10;
  device_.counters.tx_bytes = 1000;
  WireReport wire;
  wire.failed_packets = 2;
  wire.failed_bytes = 300;
  const json port = make(wire)["ports"][0];
  EXPECT_EQ(port["tx_packets"], 8);
  EXPECT_EQ(port["tx_bytes"], 700);
  EXPECT_EQ(port["tx_dropped"]["wire_error"], 2);
}

TEST_F(SoftcxReport, replay_is_told_where_it_has_an_end) {
  WireReport wire;
  EXPECT_FALSE(make(wire)["ports"][0].contains("replay"));
  wire.replay = {10, 4};
  wire.cut_records = 3;
  const json port = make(wire)["ports"][0];
  EXPECT_EQ(port["replay"], (json{{"total", 10}, {"left", 4}}));
  EXPECT_EQ(port["cut_records"], 3);
}

TEST_F(SoftcxReport, violations_are_part_of_it) {
  report_violation("report test: something would have been corrupted");
  const json all = make({})["violations"];
  EXPECT_EQ(std::count(all.begin(), all.end(), "report test: something would have been corrupted"),
            1);
}

TEST_F(SoftcxReport, frames_that_were_never_sent_are_not_among_the_sent) {
  device_.counters.tx_packets = 10;
  device_.counters.tx_bytes = 1000;
  WireReport wire;
  wire.unsent_packets = 4;
  wire.unsent_bytes = 240;
  const json port = make(wire)["ports"][0];
  EXPECT_EQ(port["tx_packets"], 6);
  EXPECT_EQ(port["tx_bytes"], 760);
  EXPECT_EQ(port["tx_dropped"]["unsent_at_stop"], 4);
}

TEST_F(SoftcxReport, wqes_of_a_failed_queue_are_named_causes) {
  device_.counters.tx_queue_errors = 1;
  device_.counters.tx_failed_wqes = 2;
  device_.counters.tx_flushed_wqes = 3;
  const json port = make({})["ports"][0];
  EXPECT_EQ(port["tx_queue_errors"], 1);
  EXPECT_EQ(port["tx_dropped"]["failed_wqe"], 2);
  EXPECT_EQ(port["tx_dropped"]["flushed_wqe"], 3);
}

TEST_F(SoftcxReport, violations_take_a_bounded_number_of_lines) {
  for (int i = 0; i < 1000; ++i) report_violation("report test: kind", std::to_string(i));
  json all = make({})["violations"];
  EXPECT_EQ(std::count(all.begin(), all.end(), "report test: kind0; 1000 times"), 1);
  for (int i = 0; i < 1000; ++i) report_violation("report test: number " + std::to_string(i));
  all = make({})["violations"];
  EXPECT_EQ(all.size(), kMostViolations + 1);
  const auto last = all.back().get<std::string>();
  EXPECT_EQ(last.find("violations of further kinds"), 0U);
  EXPECT_NE(last.find(" times"), std::string::npos);
}

TEST_F(SoftcxReport, one_object_goes_to_the_descriptor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const PortReport report{&device_, {}};
  write_report(ends[1], {&report, 1});
  ::close(ends[1]);
  std::string text(65536, '\0');
  text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
  ::close(ends[0]);
  EXPECT_EQ(json::parse(text)["ports"].size(), 1U);
}

}  // namespace
}  // namespace softcx
