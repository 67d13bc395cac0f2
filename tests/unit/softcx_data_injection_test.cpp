// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Faults of queues, against queues as a driver uses them.
#include "lib/softcx/data/injection.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/softcx_data_fixture.hpp"
#include "tests/unit/wait.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::CqeOpcode;

std::unique_ptr<QueueFaults> faults(const std::string& text) {
  return make_queue_faults(
      parse_faults({text}, 1), 0,
      {FaultKind::kTxError, FaultKind::kRxError, FaultKind::kCqOverrun, FaultKind::kStalledNic}, 1);
}

class SoftcxInjection : public testing::Test {
 protected:
  void post_frames(int count) {
    for (int i = 0; i < count; ++i) {
      sends_.post(ringside::WqeOpcode::kSend, send_body(region_.lkey, region_.address(0), 60));
    }
    sends_.sq.producer = sends_.next;
  }
  std::uint32_t run() { return run_with_faults(transmitter_, sends_.sq, 1000); }
  /// Good completions of the send queue, up to the first that is none.
  int good_sends() {
    int good = 0;
    for (last_ = completions_.poll();
         last_ != nullptr && ringside::cqe_opcode(last_->op_own) == CqeOpcode::kRequester;
         last_ = completions_.poll()) {
      ++good;
    }
    return good;
  }
  Delivery offer() {
    const Bytes bytes = pattern(60);
    const Segment segment{bytes.data(), 60};
    return deliver(receives_.rq, {{&segment, 1}, 60}, verdict_, {}, 1);
  }
  void post_buffers(int count) {
    for (int i = 0; i < count; ++i) receives_.post(100, region_.lkey, region_.address(0));
  }

  Device device_{0, "0000:ca:00.0", "mlx5_injected", "uverbs0", ""};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_{device_, wire_, clock_};
  CqUnderTest completions_{6};
  SqUnderTest sends_{device_, completions_.cq, 0x1234, 5};
  RqUnderTest receives_{device_, completions_.cq, 5};
  Region region_{device_, 32768};
  Verdict verdict_{Verdict::Kind::kDeliver, &receives_.rq, false, 0, 0, 0};
  const ringside::Cqe* last_ = nullptr;
};

TEST_F(SoftcxInjection, send_error_comes_at_its_packet_and_flushes_the_rest) {
  sends_.sq.faults = faults("tx-error:packet=3:syndrome=0x10");
  post_frames(6);
  ASSERT_TRUE(ringside::test::wait_until([&] { return run() == 0; }));
  EXPECT_EQ(wire_.sent.size(), 3U);
  EXPECT_EQ(good_sends(), 3);
  ASSERT_NE(last_, nullptr);
  EXPECT_EQ(ringside::cqe_opcode(last_->op_own), CqeOpcode::kRequesterError);
  EXPECT_EQ(syndrome(*last_), 0x10);
  EXPECT_EQ(vendor_syndrome(*last_), static_cast<std::uint8_t>(Cause::kInjected));
  EXPECT_EQ(last_->wqe_counter.value(), 3);
  EXPECT_EQ(sends_.sq.state.load(), QueueState::kError);
  EXPECT_EQ(device_.counters.tx_failed_wqes.load(), 1U);
  EXPECT_EQ(device_.counters.tx_flushed_wqes.load(), 2U);
}

TEST_F(SoftcxInjection, overrun_of_the_completion_queue_stops_a_send_queue_without_a_completion) {
  sends_.sq.faults = faults("cq-overrun:packet=2");
  post_frames(5);
  ASSERT_TRUE(ringside::test::wait_until([&] { return run() == 0; }));
  EXPECT_EQ(good_sends(), 2);
  EXPECT_EQ(last_, nullptr);
  EXPECT_TRUE(completions_.cq.failed.load());
  EXPECT_EQ(sends_.sq.state.load(), QueueState::kError);
}

TEST_F(SoftcxInjection, stalled_queue_keeps_its_work_and_goes_on_when_the_time_is_over) {
  sends_.sq.faults = faults("stalled-nic:packet=2:ms=20");
  post_frames(5);
  EXPECT_EQ(run(), 2U);
  EXPECT_EQ(run(), 0U);
  EXPECT_EQ(sends_.sq.state.load(), QueueState::kReady);
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_EQ(run(), 3U);
  EXPECT_EQ(good_sends(), 5);
}

TEST_F(SoftcxInjection, receive_error_that_costs_a_packet_leaves_the_queue_as_it_is) {
  receives_.rq.faults = faults("rx-error:packet=1:syndrome=0x01:count=2");
  post_buffers(5);
  const Delivery expected[] = {Delivery::kDelivered, Delivery::kInjected, Delivery::kDelivered,
                               Delivery::kInjected, Delivery::kDelivered};
  for (const Delivery outcome : expected) EXPECT_EQ(offer(), outcome);
  EXPECT_EQ(receives_.rq.state.load(), QueueState::kReady);
  completions_.poll();
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kResponderError);
  EXPECT_EQ(syndrome(*cqe), 0x01);
  EXPECT_EQ(cqe->wqe_counter.value(), 1);
}

TEST_F(SoftcxInjection, receive_error_that_stops_the_queue_gives_the_other_buffers_back) {
  receives_.rq.faults = faults("rx-error:packet=1");
  post_buffers(3);
  EXPECT_EQ(offer(), Delivery::kDelivered);
  EXPECT_EQ(offer(), Delivery::kInjected);
  EXPECT_EQ(receives_.rq.state.load(), QueueState::kError);
  EXPECT_EQ(offer(), Delivery::kNotReady);
  completions_.poll();
  EXPECT_EQ(syndrome(*completions_.poll()), 0x04);
  EXPECT_EQ(syndrome(*completions_.poll()), 0x05);
}

TEST_F(SoftcxInjection, receive_error_comes_at_its_packet_within_a_row) {
  receives_.rq.faults = faults("rx-error:packet=2");
  post_buffers(5);
  const Bytes bytes = pattern(60);
  const Segment segment{bytes.data(), 60};
  const Delivery expected[] = {Delivery::kDelivered, Delivery::kDelivered, Delivery::kInjected,
                               Delivery::kNotReady, Delivery::kNotReady};
  RqWriter writer(receives_.rq, 1, nullptr);
  for (const Delivery outcome : expected) {
    EXPECT_EQ(writer.deliver({{&segment, 1}, 60}, verdict_, {}), outcome);
  }
}

TEST_F(SoftcxInjection, overrun_of_the_completion_queue_stops_a_receive_queue) {
  receives_.rq.faults = faults("cq-overrun:packet=1");
  post_buffers(3);
  EXPECT_EQ(offer(), Delivery::kDelivered);
  EXPECT_EQ(offer(), Delivery::kCqOverrun);
  EXPECT_EQ(receives_.rq.state.load(), QueueState::kError);
}

}  // namespace
}  // namespace softcx
