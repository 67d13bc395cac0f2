// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// From a trace's events to where the time went.
#include "lib/runtime/latency.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/runtime/clock_track.hpp"
#include "lib/runtime/trace_file.hpp"
#include "lib/runtime/trace_json.hpp"

namespace ringside::test {
namespace {

using Kind = TraceKind;

std::uint64_t same(std::uint64_t reading) {
  return reading;
}
const TraceClocks kOneClock{same, same, same};

/// A batch of `count` packets from `first` on that takes step + 1 times `unit` for each step.
class Events {
 public:
  void add_batch(std::uint64_t first, std::uint32_t count, std::uint64_t arrived,
                 std::uint64_t unit) {
    std::uint64_t at = arrived;
    std::uint64_t takes = unit;
    for (const Kind kind :
         {Kind::kArrived, Kind::kSeen, Kind::kProcessed, Kind::kWritten, Kind::kRung}) {
      served.push_back({kind, 1, count, kind < Kind::kWritten ? first : first + count, at});
      at += takes;
      takes += unit;
    }
    tended.push_back({Kind::kSent, 2, count, first + count, at});
    tended.push_back({Kind::kCompleted, 2, count, first + count, at + takes});
  }
  std::vector<BatchTimes> batches(const TraceClocks& clocks = kOneClock) const {
    return batches_of(served, tended, clocks);
  }

  std::vector<TraceEvent> served, tended;
};

TEST(Latency, steps_are_those_of_the_events_and_add_up_to_the_whole) {
  Events events;
  for (std::uint64_t i = 0; i < 100; ++i) events.add_batch(10 * i, 10, 1000 * i, i + 1);
  const std::vector<BatchTimes> batches = events.batches();
  ASSERT_EQ(batches.size(), 100U);
  const LatencyBreakdown latency = latency_of(batches);
  double sum = 0;
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    const auto times = static_cast<std::int64_t>(step + 1);
    EXPECT_EQ(latency.steps[step].min, times);
    EXPECT_EQ(latency.steps[step].p50, 50 * times);
    EXPECT_EQ(latency.steps[step].p90, 90 * times);
    EXPECT_EQ(latency.steps[step].p99, 99 * times);
    EXPECT_EQ(latency.steps[step].max, 100 * times);
    sum += latency.steps[step].mean;
  }
  EXPECT_EQ(latency.whole.max, 2100);
  EXPECT_DOUBLE_EQ(sum, latency.whole.mean);
  for (const BatchTimes& batch : batches) {
    std::int64_t whole = 0;
    for (std::size_t step = 0; step < kLatencySteps; ++step) whole += batch.step_ns(step);
    EXPECT_EQ(whole, batch.whole_ns({}));
  }
}

TEST(Latency, batches_that_have_lost_an_event_are_left_out) {
  for (std::size_t lost = 0; lost < 5; ++lost) {
    Events events;
    for (std::uint64_t i = 0; i < 3; ++i) events.add_batch(i, 1, 100 * i, 1);
    events.served.erase(events.served.begin() + 5 + static_cast<std::ptrdiff_t>(lost));
    const std::vector<BatchTimes> batches = events.batches();
    ASSERT_EQ(batches.size(), 2U) << lost;
    EXPECT_EQ(batches[0].first, 0U);
    EXPECT_EQ(batches[1].first, 2U);
  }
  Events events;
  for (std::uint64_t i = 0; i < 3; ++i) events.add_batch(i, 1, 100 * i, 1);
  events.tended.erase(events.tended.begin() + 3);
  ASSERT_EQ(events.batches().size(), 2U) << "another's completion is not its own";
}

TEST(Latency, a_batch_of_which_nothing_was_sent_has_no_times) {
  Events events;
  events.add_batch(0, 4, 0, 1);
  events.served.resize(3);
  events.add_batch(4, 4, 0, 1);
  const std::vector<BatchTimes> batches = events.batches();
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].first, 4U);
}

TEST(Latency, a_completion_between_batches_is_not_taken_for_one) {
  Events events;
  events.tended.push_back({Kind::kSent, 2, 64, 64, 1});
  events.tended.push_back({Kind::kCompleted, 2, 64, 64, 2});
  events.add_batch(0, 100, 500, 1);  // asks at 64 packets, and at its end
  ASSERT_EQ(events.batches().size(), 1U);
  EXPECT_EQ(events.batches()[0].step_ns(4), 5);
}

TEST(Latency, batches_that_end_here_or_begin_here_have_the_steps_between) {
  Events events;
  events.add_batch(0, 4, 0, 1);
  events.add_batch(4, 4, 100, 1);
  events.served.resize(8);  // of the second, nothing was sent
  constexpr LatencySpan kReceived = LatencySpan::of(true, false);
  const auto received = batches_of(events.served, events.tended, kOneClock, kReceived);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[1].first, 4U);
  EXPECT_EQ(received[1].whole_ns(kReceived), 1 + 2);
  const LatencyBreakdown latency = latency_of(received, kReceived);
  EXPECT_EQ(latency.steps[1].p50, 2);
  EXPECT_EQ(latency.whole.mean, 3);
  constexpr LatencySpan kSent = LatencySpan::of(false, true);
  events.served.push_back({Kind::kWritten, 1, 10, 14, 200});  // of the kernel's own
  events.served.push_back({Kind::kRung, 1, 10, 14, 201});
  events.tended.push_back({Kind::kSent, 2, 10, 14, 203});
  events.tended.push_back({Kind::kCompleted, 2, 10, 14, 206});
  const auto sent = batches_of(events.served, events.tended, kOneClock, kSent);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].first, 4U);
  EXPECT_EQ(sent[1].received, 0U);
  EXPECT_EQ(sent[1].sent, 10U);
  EXPECT_EQ(sent[1].whole_ns(kSent), 6);
}

TEST(Latency, errors_and_recoveries_are_told_of_with_their_queue) {
  const std::vector<TraceEvent> served = {{Kind::kStopped, 1, 4, 0, 10},
                                          {Kind::kRecovered, 1, 0, 0, 30}};
  const std::vector<TraceEvent> tended = {{Kind::kRecovered, 1, 7, 0, 40}};
  TracedStream stream;
  stream.changes = changes_of(served, tended, kOneClock);
  std::string text;
  write_trace_json({&stream, 1}, [&](std::string_view piece) { text += piece; });
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["latency"][0]["recoveries"], 2);
  const auto& events = json["traceEvents"];
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1]["name"], "receive queue stopped");
  EXPECT_EQ(events[1]["args"]["syndrome"], 4);
  EXPECT_EQ(events[2]["name"], "receive queue goes on");
  EXPECT_EQ(events[3]["name"], "send queue goes on");
  EXPECT_EQ(events[3]["args"]["lost"], 7);
  EXPECT_EQ(events[3]["ts"], 0.03);
}

TEST(Latency, each_event_is_by_its_own_clock) {
  Events events;
  events.add_batch(0, 1, 1000, 10);
  const TraceClocks clocks{[](std::uint64_t at) { return at + 1; },
                           [](std::uint64_t at) { return at + 2; },
                           [](std::uint64_t at) { return at + 4; }};
  const BatchTimes batch = events.batches(clocks).at(0);
  const std::int64_t expected[] = {10 + 3, 20, 30, 40, 50 - 2, 60 + 2};
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    EXPECT_EQ(batch.step_ns(step), expected[step]) << step;
  }
}

// A clock of 1 GHz that begins at 5000, then runs a thousandth faster.
TEST(Latency, a_clock_is_the_line_between_its_two_nearest_readings) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  ClockTrack track;
  track.add({0, 5000, 40});
  EXPECT_FALSE(track.is_known());
  track.add({10, 9999, 7000});  // too soon: nothing is told by it
  EXPECT_FALSE(track.is_known());
  track.add({kSecond, 5000 + kSecond, 50});
  track.add({2 * kSecond, 5000 + 2 * kSecond + kSecond / 1000, 30});
  ASSERT_TRUE(track.is_known());
  EXPECT_EQ(track.uncertainty_ns(), 50U);
  const auto near = [&](std::uint64_t reading, std::uint64_t host) {
    const auto off = static_cast<std::int64_t>(track.host_ns(reading) - host);
    EXPECT_LE(std::abs(off), 2) << reading;
  };
  near(5000, 0);
  near(5000 + kSecond / 2, kSecond / 2);
  near(5000 + kSecond, kSecond);
  near(5000 + kSecond + kSecond / 1000 * 1001 / 2, kSecond + kSecond / 2);
  near(5000 + 2 * kSecond + kSecond / 1000, 2 * kSecond);
  near(5000 + 2 * kSecond + kSecond / 1000 + 1001, 2 * kSecond + 1000);
}

TEST(Latency, the_file_has_each_step_of_each_batch_once_and_the_table_every_step) {
  Events events;
  for (std::uint64_t i = 0; i < 10; ++i) events.add_batch(i, 1, 7000 + 100 * i, 3);
  TracedStream stream{.queues = {.rx_port = 0, .rx_queue = 1, .tx_port = 2, .tx_queue = 3}};
  stream.batches = events.batches();
  stream.latency = latency_of(stream.batches);
  std::string text;
  write_trace_json({&stream, 1}, [&](std::string_view piece) { text += piece; });
  const auto json = nlohmann::json::parse(text);
  std::map<std::string, std::pair<int, double>> found;  // spans, and their time in all
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "M") continue;
    auto& [spans, time] = found[event["name"]];
    const double ts = event["ts"];
    if (event["ph"] == "X") {
      ++spans;
      time += event["dur"].get<double>();
    } else if (event["ph"] == "b") {
      ++spans;
      time -= ts;
    } else {
      ASSERT_EQ(event["ph"], "e");
      time += ts;
    }
  }
  ASSERT_EQ(found.size(), kLatencySteps);
  const std::string table = latency_table({&stream, 1});
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    const auto& [spans, time] = found.at(std::string(kLatencyStepNames[step]));
    EXPECT_EQ(spans, 10);
    EXPECT_NEAR(time * 1000, 10.0 * 3 * static_cast<double>(step + 1), 1e-6);
    EXPECT_NE(table.find(kLatencyStepNames[step]), std::string::npos);
  }
  EXPECT_EQ(json["latency"][0]["batches"], 10);
  EXPECT_NE(table.find("port 0 queue 1 to port 2 queue 3, 10 batches"), std::string::npos);
}

}  // namespace
}  // namespace ringside::test
