// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the CPU reads of a stream's words.
#include "lib/runtime/gpu_stream.hpp"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

class Stream : public testing::Test {
 protected:
  void fail(std::uint32_t on_send) {
    words.status = {.phase = BlockPhase::kFailed,
                    .error_syndrome = 0x04,
                    .error_vendor = 0x51,
                    .error_on_send = on_send,
                    .error_wqe_counter = 17};
  }

  StreamWords words{};
  GpuStream stream{{.rx_port = 0, .rx_queue = 3, .tx_port = 1, .tx_queue = 3}, {&words, 1}};
};

TEST_F(Stream, statistics_count_from_their_beginning_and_counters_go_on) {
  words.counters.rx_packets = 100;
  words.counters.rx_bytes = 6400;
  stream.begin_statistics();
  words.counters.rx_packets = 130;
  words.counters.rx_bytes = 8320;
  EXPECT_EQ(stream.statistics().rx_packets, 30U);
  EXPECT_EQ(stream.statistics().rx_bytes, 1920U);
  EXPECT_EQ(stream.counters().rx_packets, 130U);
}

TEST_F(Stream, every_packet_is_sent_consumed_or_dropped_for_a_named_cause) {
  words.counters.rx_packets = 100;
  words.counters.tx_packets = 80;
  words.counters.tx_errors = 5;
  words.counters.consumed = 13;
  words.counters.dropped[static_cast<unsigned>(DropCause::kProgram)] = 7;
  words.counters.dropped[static_cast<unsigned>(DropCause::kTxQueueDown)] = 5;
  const StreamStats stats = stream.statistics();
  EXPECT_EQ(stats.tx_packets, 75U);
  EXPECT_EQ(stats.dropped, 12U);
  EXPECT_EQ(stats.rx_packets, stats.tx_packets + stats.consumed + stats.dropped);
  std::uint64_t by_cause = 0;
  for (const auto& [cause, count] : stats.drop_causes) {
    EXPECT_FALSE(cause.empty());
    by_cause += count;
  }
  EXPECT_EQ(by_cause, stats.dropped);
}

TEST_F(Stream, what_its_queues_count_is_of_the_run_and_what_is_in_flight_is_of_now) {
  words.counters.tx_packets = words.counters.tx_completed = 40;
  words.counters.tx_doorbells = words.counters.tx_cqes = 10;
  stream.begin_statistics();
  words.counters.batches = 6;
  words.counters.tx_packets = 100;
  words.counters.tx_completed = 70;
  words.counters.tx_doorbells = 16;
  words.counters.tx_cqes = 13;
  words.counters.tx_waits = 2;
  const QueueCounts queues = stream.statistics().queues.value();
  EXPECT_EQ(queues.rx_batches, 6U);
  EXPECT_EQ(queues.tx_doorbells, 6U);
  EXPECT_EQ(queues.tx_cqes, 3U);
  EXPECT_EQ(queues.tx_waits, 2U);
  EXPECT_EQ(queues.tx_in_flight, 30U);
}

// The block stores its words one by one.
TEST_F(Stream, more_completed_than_posted_is_none_in_flight) {
  words.counters.tx_packets = 10;
  words.counters.tx_completed = 12;
  EXPECT_EQ(stream.statistics().queues.value().tx_in_flight, 0U);
}

/// A stream whose packets pass through three blocks, of three that it may have.
class JointStream : public testing::Test {
 protected:
  JointStream() {
    // It has been served by one block before, whose counters go on to count.
    words[0].counters.rx_packets = words[0].counters.tx_packets = 7;
    stream.reset_words(3);
    stream.begin_statistics();
    first.counters.rx_packets = 100;
    first.counters.rx_bytes = 6400;
    first.counters.tx_packets = first.counters.tx_completed = 90;
    first.counters.dropped[0] = 10;
    between.counters.rx_packets = 90;
    between.counters.tx_packets = between.counters.tx_completed = 70;
    between.counters.consumed = 20;
    last.counters.rx_packets = 70;
    last.counters.tx_packets = last.counters.tx_completed = 65;
    last.counters.tx_bytes = 4160;
    last.counters.dropped[0] = 5;
  }
  void expect_that_it_adds_up() const {
    const StreamStats stats = stream.statistics();
    EXPECT_EQ(stats.rx_packets, stats.tx_packets + stats.consumed + stats.dropped);
  }

  StreamWords words[4]{};
  GpuStream stream{{.rx_port = 0, .rx_queue = 0, .tx_port = 0, .tx_queue = 0}, words};
  StreamWords& first = words[1];
  StreamWords& last = words[2];
  StreamWords& between = words[3];
};

TEST_F(JointStream, its_first_block_receives_its_last_one_sends_and_all_of_them_drop) {
  const StreamStats stats = stream.statistics();
  EXPECT_EQ(stats.rx_packets, 100U);
  EXPECT_EQ(stats.rx_bytes, 6400U);
  EXPECT_EQ(stats.tx_packets, 65U);
  EXPECT_EQ(stats.tx_bytes, 4160U);
  EXPECT_EQ(stats.consumed, 20U);
  EXPECT_EQ(stats.dropped, 15U);
  expect_that_it_adds_up();
  EXPECT_EQ(stream.counters().rx_packets, 107U);
  EXPECT_EQ(stream.counters().tx_packets, 72U);
  stream.count_lost_between_blocks();
  EXPECT_EQ(stream.statistics().dropped, 15U);
  EXPECT_FALSE(stream.holds_slots());
}

TEST_F(JointStream, packets_that_no_block_has_taken_over_are_lost_with_the_way_to_the_queue) {
  first.counters.tx_completed = 80;  // ten are on their way, of which four were taken
  between.counters.rx_packets = 84;
  between.counters.consumed = 14;
  stream.count_lost_between_blocks();
  EXPECT_TRUE(stream.holds_slots());
  EXPECT_EQ(stream.statistics().dropped, 15U + 6U);
  expect_that_it_adds_up();
  stream.count_lost_between_blocks();  // of a run that lost nothing more
  EXPECT_EQ(stream.statistics().dropped, 15U + 6U);
  stream.reset_words(3);
  stream.count_lost_between_blocks();
  EXPECT_FALSE(stream.holds_slots());
}

TEST_F(JointStream, the_error_is_that_of_the_block_which_made_the_others_end) {
  first.status = {.phase = BlockPhase::kFailed, .error_on_send = 1};
  between.status = {.phase = BlockPhase::kFailed,
                    .error_syndrome = 0x04,
                    .error_on_send = 1,
                    .error_wqe_counter = 9};
  EXPECT_NE(stream.statistics().error.find("(0x04)"), std::string::npos);
  EXPECT_TRUE(stream.failed_on_send());
  EXPECT_TRUE(stream.ended());
  EXPECT_FALSE(stream.block_ended(2));
  first.status = between.status = {.phase = BlockPhase::kFinished};
  EXPECT_FALSE(stream.ended());
  last.status = {.phase = BlockPhase::kFinished};
  EXPECT_TRUE(stream.ended());
}

TEST_F(Stream, sends_lost_in_recovery_are_errors_and_drops_and_not_bytes_sent) {
  words.counters.rx_packets = words.counters.tx_packets = 100;
  words.counters.tx_completed = 93;
  words.counters.rx_bytes = words.counters.tx_bytes = 6400;
  stream.count_lost_sends(7, 448);
  const StreamStats stats = stream.statistics();
  EXPECT_EQ(stats.tx_packets, 93U);
  EXPECT_EQ(stats.tx_bytes, 5952U);
  EXPECT_EQ(stats.tx_errors, 7U);
  EXPECT_EQ(stats.dropped, 7U);
  EXPECT_EQ(stats.drop_causes.at(static_cast<unsigned>(DropCause::kTxQueueDown)).second, 7U);
}

TEST_F(Stream, stream_has_ended_by_an_error_or_without) {
  for (const BlockPhase phase :
       {BlockPhase::kNotStarted, BlockPhase::kReceiving, BlockPhase::kDraining}) {
    words.status.phase = phase;
    EXPECT_FALSE(stream.ended());
  }
  words.status.phase = BlockPhase::kFinished;
  EXPECT_TRUE(stream.ended());
  fail(0);
  EXPECT_TRUE(stream.ended());
}

TEST_F(Stream, ports_and_queues_are_those_it_joins) {
  const StreamStats stats = stream.statistics();
  EXPECT_EQ(stats.rx_port, 0U);
  EXPECT_EQ(stats.tx_port, 1U);
  EXPECT_EQ(stats.rx_queue, 3U);
  EXPECT_EQ(stats.tx_queue, 3U);
}

TEST_F(Stream, running_stream_has_no_error_and_no_event) {
  words.status.phase = BlockPhase::kReceiving;
  EXPECT_FALSE(stream.failed());
  EXPECT_EQ(stream.statistics().error, "");
  EXPECT_EQ(stream.take_event(), "");
}

TEST_F(Stream, failure_is_an_event_once_that_names_queue_and_syndrome) {
  fail(1);
  EXPECT_TRUE(stream.failed());
  EXPECT_TRUE(stream.failed_on_send());
  const std::string event = stream.take_event();
  for (const char* part : {"port 0 queue 3", "port 1 queue 3", "send queue",
                           "LOCAL_PROTECTION_ERR (0x04)", "0x51", "17"}) {
    EXPECT_NE(event.find(part), std::string::npos) << part << " in: " << event;
  }
  EXPECT_EQ(stream.take_event(), "");
  EXPECT_NE(stream.statistics().error, "");
}

TEST_F(Stream, failure_after_a_restart_is_an_event_again) {
  fail(0);
  EXPECT_FALSE(stream.failed_on_send());
  EXPECT_NE(stream.take_event(), "");
  words.control.exit = 1;
  stream.reset_words(1);
  EXPECT_FALSE(stream.failed());
  EXPECT_EQ(words.control.exit, 0U);
  fail(0);
  EXPECT_NE(stream.take_event(), "");
}

}  // namespace
}  // namespace ringside::test
