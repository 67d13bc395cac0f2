// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Waits on time, and when frames leave.
#include <gtest/gtest.h>

#include "lib/softcx/data/transmitter.hpp"
#include "tests/unit/softcx_data_fixture.hpp"
#include "tests/unit/wait.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::CqeOpcode;
using ringside::WqeOpcode;

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kMask = (std::uint64_t{1} << 33) - 1;

class SoftcxTime : public testing::Test {
 protected:
  explicit SoftcxTime(std::uint64_t line_bits_per_s = 0) {
    device_.line_bits_per_s = line_bits_per_s;
    transmitter_.emplace(device_, wire_, clock_);
  }

  void run() {
    queue_.sq.producer = queue_.next;
    transmitter_->run(queue_.sq, 1000);
  }
  /// Until the NIC's clock says so.
  void sleep_until(std::uint64_t ns) {
    EXPECT_TRUE(
        ringside::test::step_until([&] { return clock_.now_ns() >= ns; }, [&] { clock_.tick(); }));
  }
  std::uint16_t post_frame(std::uint32_t length = 60,
                           std::uint8_t completion = ringside::kCeAlways) {
    return queue_.post(WqeOpcode::kSend, send_body(region_.lkey, region_.address(0), length),
                       completion);
  }
  std::uint16_t post_wait(std::uint64_t until_ns, std::uint64_t mask = kMask) {
    return queue_.post_wait(until_ns, mask);
  }
  void expect_refused(std::uint16_t index, Cause cause) {
    run();
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kRequesterError);
    EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(cause));
    EXPECT_EQ(cqe->wqe_counter.value(), index);
  }

  Device device_{0, "0000:ca:00.0", "mlx5_time", "uverbs0", ""};
  NicClock clock_;
  RecordingWire wire_;
  std::optional<Transmitter> transmitter_;
  CqUnderTest completions_{6};
  SqUnderTest queue_{device_, completions_.cq, 0x1234, 6};
  Region region_{device_, 32768};
};

TEST_F(SoftcxTime, a_queue_waits_for_its_time_and_what_follows_leaves_then) {
  const std::uint64_t until = clock_.now_ns() + 2 * kMillisecond;
  post_frame();
  post_wait(until);
  post_frame();
  run();
  EXPECT_EQ(wire_.sent.size(), 1U) << "what is before the wait goes at once";
  EXPECT_EQ(queue_.sq.resume_ns, until);
  sleep_until(until + 1000);
  run();
  ASSERT_EQ(wire_.sent.size(), 2U);
  EXPECT_EQ(wire_.left_ns[1], until);
  EXPECT_EQ(queue_.sq.resume_ns, 0U);
  ASSERT_NE(completions_.poll(), nullptr);
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(cqe->timestamp.value(), until) << "a completion has its packet's time";
}

/// Ticks of a ConnectX-6 Dx, and real time, whose seconds begin in the middle of a wait.
TEST_F(SoftcxTime, waits_and_time_stamps_count_what_the_queue_does) {
  const Clocks ticks{.khz = 156'250};
  const Clocks real{.real_time = true,
                    .utc_offset_ns = 5 * kNsPerSecond - clock_.now_ns() % kNsPerSecond};
  for (const StampFormat& stamps : {StampFormat(ticks, false), StampFormat(real, true)}) {
    queue_.sq.stamps = stamps;
    wire_.left_ns.clear();
    const std::uint64_t until = clock_.now_ns() + 2 * kMillisecond;
    const std::uint64_t stamp = stamps.stamp(until);
    post_wait(stamp);
    post_frame();
    run();
    EXPECT_EQ(wire_.left_ns.size(), 0U);
    sleep_until(until + 1000);
    run();
    ASSERT_EQ(wire_.left_ns.size(), 1U);
    EXPECT_EQ(wire_.left_ns[0], stamps.time_ns(stamp));
    EXPECT_LE(until - wire_.left_ns[0], stamps.real_time() ? 0U : 6U) << "within a tick";
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    EXPECT_EQ(cqe->timestamp.value(), stamp);
  }
}

TEST(SoftcxStamps, are_seconds_and_nanoseconds_or_ticks) {
  const Clocks clocks{.khz = 156'250, .real_time = true, .utc_offset_ns = 7 * kNsPerSecond};
  const StampFormat real(clocks, true), ticks(clocks, false);
  EXPECT_EQ(real.stamp(2 * kNsPerSecond + 9), std::uint64_t{9} << 32 | 9);
  EXPECT_EQ(real.time_ns(std::uint64_t{9} << 32 | 9), 2 * kNsPerSecond + 9);
  EXPECT_EQ(real.time_ns(9), 0U) << "before the NIC was there";
  EXPECT_EQ(ticks.stamp(kNsPerSecond), 156'250'000U);
  EXPECT_EQ(ticks.stamp(6), 0U);
  EXPECT_EQ(ticks.stamp(7), 1U);
  EXPECT_EQ(ticks.time_ns(1), 7U);
}

TEST_F(SoftcxTime, several_times_are_kept_even_where_the_engine_is_late) {
  const std::uint64_t start = clock_.now_ns() + kMillisecond;
  for (std::uint64_t i = 0; i < 5; ++i) {
    post_wait(start + 700 * i);
    post_frame();
  }
  run();
  EXPECT_EQ(wire_.sent.size(), 0U);
  sleep_until(start + kMillisecond);
  run();
  ASSERT_EQ(wire_.sent.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(wire_.left_ns[i], start + 700 * i);
}

TEST_F(SoftcxTime, what_is_posted_late_leaves_late) {
  const std::uint64_t first = clock_.now_ns() + kMillisecond;
  post_wait(first);
  post_frame();
  run();
  sleep_until(first + kMillisecond);
  post_wait(first + 100);  // has passed when it is posted
  post_frame();
  run();
  ASSERT_EQ(wire_.sent.size(), 2U);
  EXPECT_EQ(wire_.left_ns[0], first);
  EXPECT_EQ(wire_.left_ns[1], clock_.now_ns());
}

TEST_F(SoftcxTime, a_wait_sees_only_the_bits_of_its_mask) {
  for (const std::uint64_t mask : {kMask, ~std::uint64_t{0}}) {
    post_wait(clock_.now_ns() - 1000, mask);
    post_wait(clock_.now_ns(), mask);
    post_frame();
    run();
  }
  EXPECT_EQ(wire_.sent.size(), 2U);
  post_wait(clock_.now_ns() + (kMask >> 1), kMask);
  run();
  EXPECT_EQ(queue_.sq.resume_ns, clock_.now_ns() + (kMask >> 1)) << "half a cycle ahead";
  queue_.sq.producer = static_cast<std::uint16_t>(queue_.sq.consumer);
  queue_.next = queue_.sq.producer;
  post_wait(clock_.now_ns() + (kMask >> 1) + 1, kMask);
  run();
  EXPECT_EQ(queue_.sq.resume_ns, 0U) << "further ahead is behind";
}

TEST_F(SoftcxTime, an_error_ends_a_wait) {
  post_wait(clock_.now_ns() + 1000 * kMillisecond);
  run();
  queue_.sq.state.store(QueueState::kError);
  run();
  EXPECT_EQ(queue_.sq.resume_ns, 0U);
  EXPECT_EQ(device_.counters.tx_flushed_wqes.load(), 1U);
}

TEST_F(SoftcxTime, waits_on_anything_else_are_refused) {
  const std::uint16_t index = post_wait(0);
  queue_.block(index)[0] = 0;  // on a completion queue
  expect_refused(index, Cause::kOpcode);
}

TEST_F(SoftcxTime, an_unknown_condition_is_refused) {
  const std::uint16_t index = post_wait(0);
  queue_.block(index)[16 + 3] = 4;
  expect_refused(index, Cause::kWait);
}

TEST_F(SoftcxTime, a_mask_with_gaps_is_refused) {
  expect_refused(post_wait(0, 0xff0), Cause::kWait);
}

TEST_F(SoftcxTime, a_wait_without_its_segment_is_refused) {
  const std::uint16_t index = post_wait(0);
  queue_.block(index)[7] = 2;
  expect_refused(index, Cause::kSegmentCount);
}

/// 25 Gb/s: a frame of 1500 bytes takes (1500 + 24) * 8 / 25 = 487.68 ns.
class SoftcxLine : public SoftcxTime {
 protected:
  SoftcxLine() : SoftcxTime(25'000'000'000) {}
};

TEST_F(SoftcxLine, frames_follow_each_other_at_the_lines_rate) {
  for (int i = 0; i < 10; ++i) post_frame(1500, ringside::kCeOnError);
  run();
  ASSERT_EQ(wire_.sent.size(), 10U);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(wire_.left_ns[i], clock_.now_ns() + i * 48768 / 100);
  }
}

TEST_F(SoftcxLine, short_frames_take_the_time_of_64_bytes) {
  for (const std::uint32_t length : {14U, 60U, 61U}) post_frame(length);
  run();
  ASSERT_EQ(wire_.sent.size(), 3U);
  EXPECT_EQ(wire_.left_ns[1] - wire_.left_ns[0], 26U);  // 84 * 8 / 25 = 26.88
  EXPECT_EQ(wire_.left_ns[2] - wire_.left_ns[0], 53U);
}

TEST_F(SoftcxLine, the_nic_reads_only_so_far_ahead_of_the_line) {
  for (int i = 0; i < 40; ++i) post_frame(1500);
  run();
  const std::size_t at_once = wire_.sent.size();
  EXPECT_LT(at_once, 14U);
  EXPECT_GT(queue_.sq.resume_ns, clock_.now_ns());
  ASSERT_TRUE(ringside::test::step_until([&] { return wire_.sent.size() >= 40; },
                                         [&] {
                                           sleep_until(queue_.sq.resume_ns);
                                           run();
                                         }));
  EXPECT_EQ(wire_.left_ns[39] - wire_.left_ns[0], 39U * 48768 / 100);
}

TEST_F(SoftcxLine, a_time_is_kept_unless_the_line_is_busy) {
  const std::uint64_t start = clock_.now_ns() + kMillisecond;
  post_wait(start);
  post_frame(1500);
  post_wait(start + 100);  // the line is busy until start + 487
  post_frame(60);
  post_wait(start + 2000);
  post_frame(60);
  run();
  sleep_until(start + 3000);
  run();
  ASSERT_EQ(wire_.sent.size(), 3U);
  EXPECT_EQ(wire_.left_ns[0], start);
  EXPECT_EQ(wire_.left_ns[1], start + 487);
  EXPECT_EQ(wire_.left_ns[2], start + 2000);
}

}  // namespace
}  // namespace softcx
