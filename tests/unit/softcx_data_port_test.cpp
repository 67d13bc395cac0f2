// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/port.hpp"

#include <gtest/gtest.h>

#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class SoftcxPort : public testing::Test {
 protected:
  SoftcxPort() {
    device_.classifier = &classifier_;
    classifier_.verdict = {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0};
  }
  void receive(const Bytes& bytes) {
    const Segment segment{bytes.data(), static_cast<std::uint32_t>(bytes.size())};
    port_.receive({{&segment, 1}, segment.length});
  }
  void post_buffers(int count) {
    for (int i = 0; i < count; ++i) queue_.post(2048, region_.lkey, region_.address(0));
  }
  std::uint64_t dropped() const {
    const PortCounters& c = device_.counters;
    return c.rx_out_of_buffer + c.rx_oversize + c.rx_runt + c.rx_rule_drop + c.rx_no_rule +
           c.rx_queue_not_ready + c.rx_length_error + c.rx_cq_overrun + c.rx_protection_error;
  }
  void expect_all_accounted_for(std::uint64_t received) {
    EXPECT_EQ(device_.counters.rx_wire_packets.load(), received);
    EXPECT_EQ(device_.counters.rx_delivered + dropped(), received);
  }

  Device device_{0, "0000:ca:00.0", "mlx5_port", "uverbs0", ""};
  NicClock clock_;
  ScriptedClassifier classifier_;
  RecordingWire* wire_ = new RecordingWire;
  Port port_{device_, std::unique_ptr<Wire>(wire_), clock_};
  CqUnderTest completions_{6};
  RqUnderTest queue_{device_, completions_.cq, 5};
  Region region_{device_, 4096};
};

TEST_F(SoftcxPort, every_received_frame_is_delivered_or_dropped_by_cause) {
  post_buffers(2);
  receive(pattern(60));
  receive(pattern(13));
  receive(pattern(1515));
  receive(pattern(60));
  receive(pattern(60));  // no buffer left
  classifier_.verdict.kind = Verdict::Kind::kRuleDrop;
  receive(pattern(60));
  classifier_.verdict.kind = Verdict::Kind::kNoRule;
  receive(pattern(60));
  expect_all_accounted_for(7);
  EXPECT_EQ(device_.counters.rx_delivered.load(), 2U);
  EXPECT_EQ(device_.counters.rx_delivered_bytes.load(), 120U);
  EXPECT_EQ(device_.counters.rx_runt.load(), 1U);
  EXPECT_EQ(device_.counters.rx_oversize.load(), 1U);
  EXPECT_EQ(device_.counters.rx_out_of_buffer.load(), 1U);
  EXPECT_EQ(device_.counters.rx_rule_drop.load(), 1U);
  EXPECT_EQ(device_.counters.rx_no_rule.load(), 1U);
  EXPECT_EQ(queue_.counter.out_of_buffer.load(), 1U);
}

TEST_F(SoftcxPort, frame_above_the_buffer_but_not_the_mtu_is_a_length_error) {
  queue_.post(128, region_.lkey, region_.address(0));
  receive(pattern(129));
  EXPECT_EQ(device_.counters.rx_length_error.load(), 1U);
  expect_all_accounted_for(1);
}

TEST_F(SoftcxPort, classifier_sees_the_headers_in_one_piece) {
  post_buffers(1);
  const Bytes bytes = pattern(300);
  const Segment segments[] = {
      {bytes.data(), 18}, {bytes.data() + 18, 82}, {bytes.data() + 100, 200}};
  port_.receive({segments, 300});
  EXPECT_EQ(classifier_.last_headers, Bytes(bytes.begin(), bytes.begin() + kMaxHeaderBytes));
  EXPECT_EQ(classifier_.last_length, 300U);
}

TEST_F(SoftcxPort, real_wire_loses_what_finds_no_buffer) {
  wire_->arriving = {pattern(60), pattern(61)};
  post_buffers(1);
  EXPECT_EQ(port_.receive_from_wire(64), 2U);
  EXPECT_EQ(device_.counters.rx_out_of_buffer.load(), 1U);
  expect_all_accounted_for(2);
}

TEST_F(SoftcxPort, replay_begins_when_steering_leads_to_a_ready_queue) {
  wire_->waits = true;
  wire_->arriving = {pattern(60)};
  post_buffers(1);
  classifier_.ready = false;
  EXPECT_EQ(port_.receive_from_wire(64), 0U);
  EXPECT_EQ(classifier_.calls, 0);
  classifier_.ready = true;
  EXPECT_EQ(port_.receive_from_wire(64), 1U);
  EXPECT_EQ(device_.counters.rx_delivered.load(), 1U);
}

TEST_F(SoftcxPort, replay_waits_for_buffers_and_loses_nothing) {
  wire_->waits = true;
  for (int i = 0; i < 5; ++i) wire_->arriving.push_back(pattern(60, static_cast<std::uint8_t>(i)));
  post_buffers(2);
  EXPECT_EQ(port_.receive_from_wire(64), 2U);
  EXPECT_EQ(port_.receive_from_wire(64), 0U);
  EXPECT_EQ(port_.receive_from_wire(64), 0U);
  EXPECT_EQ(classifier_.calls, 3) << "a frame that waits is classified once";
  expect_all_accounted_for(2);
  post_buffers(3);
  EXPECT_EQ(port_.receive_from_wire(64), 3U);
  EXPECT_EQ(classifier_.calls, 5);
  expect_all_accounted_for(5);
  EXPECT_EQ(device_.counters.rx_out_of_buffer.load(), 0U);
}

TEST_F(SoftcxPort, replay_waits_while_its_queue_is_not_ready) {
  wire_->waits = true;
  wire_->arriving = {pattern(60)};
  post_buffers(1);
  queue_.rq.state.store(QueueState::kReset);
  EXPECT_EQ(port_.receive_from_wire(64), 0U);
  queue_.rq.state.store(QueueState::kReady);
  EXPECT_EQ(port_.receive_from_wire(64), 1U);
}

TEST_F(SoftcxPort, frame_that_waits_is_classified_anew_after_a_quiescent_point) {
  wire_->waits = true;
  wire_->arriving = {pattern(60)};
  EXPECT_EQ(port_.receive_from_wire(64), 0U);
  port_.forget();
  classifier_.verdict.kind = Verdict::Kind::kNoRule;  // the queue is gone
  EXPECT_EQ(port_.receive_from_wire(64), 1U);
  EXPECT_EQ(device_.counters.rx_no_rule.load(), 1U);
}

TEST_F(SoftcxPort, rules_count_a_frame_once_that_waits_over_quiescent_points) {
  FlowCounter old_rule, new_rule;
  const auto lead_through = [&](FlowCounter& counter) {
    classifier_.verdict.counter_count = 1;
    classifier_.verdict.counters[0] = &counter;
  };
  wire_->waits = true;
  wire_->arriving = {pattern(60)};
  lead_through(old_rule);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(port_.receive_from_wire(64), 0U);
    port_.forget();
  }
  lead_through(new_rule);
  post_buffers(1);
  EXPECT_EQ(port_.receive_from_wire(64), 1U);
  EXPECT_EQ(old_rule.packets.load(), 0U);
  EXPECT_EQ(new_rule.packets.load(), 1U);
  EXPECT_EQ(new_rule.bytes.load(), 60U);
}

TEST_F(SoftcxPort, rules_count_what_they_drop_and_what_finds_no_buffer) {
  FlowCounter counter;
  classifier_.verdict.counter_count = 1;
  classifier_.verdict.counters[0] = &counter;
  receive(pattern(60));  // no buffer
  classifier_.verdict.kind = Verdict::Kind::kRuleDrop;
  receive(pattern(61));
  EXPECT_EQ(counter.packets.load(), 2U);
  EXPECT_EQ(counter.bytes.load(), 121U);
}

TEST(SoftcxCable, cross_wired_ports_receive_each_others_frames) {
  NicClock clock;
  ScriptedClassifier classifier;
  Device left(0, "0000:ca:00.0", "mlx5_left", "uverbs0", "");
  Device right(1, "0000:ca:00.1", "mlx5_right", "uverbs1", "");
  left.classifier = right.classifier = &classifier;
  Port left_port(left, std::make_unique<DirectWire>(1), clock);
  Port right_port(right, std::make_unique<DirectWire>(0), clock);
  Receiver* const receivers[] = {&left_port, &right_port};
  left_port.wire().attach(receivers);
  right_port.wire().attach(receivers);
  const Bytes bytes = pattern(60);
  const Segment segment{bytes.data(), 60};
  EXPECT_TRUE(left_port.wire().transmit({{&segment, 1}, 60}));
  EXPECT_EQ(right.counters.rx_wire_packets.load(), 1U);
  EXPECT_EQ(left.counters.rx_wire_packets.load(), 0U);
  EXPECT_TRUE(right_port.wire().transmit({{&segment, 1}, 60}));
  EXPECT_EQ(left.counters.rx_wire_packets.load(), 1U);
}

}  // namespace
}  // namespace softcx
