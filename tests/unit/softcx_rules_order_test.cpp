// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets and completions on two paths, as PCIe has them: to a GPU's memory and to RAM.
#include <gtest/gtest.h>

#include <sched.h>

#include "lib/base/clock.hpp"
#include "lib/softcx/data/port.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::Deadline;
using ringside::WqeOpcode;

constexpr std::uint32_t kRam = 0, kGpu = 1, kOtherGpu = 2;
constexpr std::uint8_t kOld = 0xee;  ///< what lies in a buffer before its packet

class SoftcxOrder : public testing::Test {
 protected:
  SoftcxOrder() {
    device_.completion_follows_data = false;
    device_.posted = &posted_;
    device_.classifier = &classifier_;
    classifier_.verdict = {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0};
    for (Region* region : {&ram_, &gpu_}) {
      std::fill(region->bytes.begin(), region->bytes.end(), kOld);
    }
    put_in(gpu_, kGpu);
  }

  /// The memory of a region is that of a GPU.
  void put_in(const Region& region, std::uint32_t gpu) {
    device_.mkey_at(region.lkey >> 8)->memory.home = {gpu, true};
  }
  void poll_by_kernels_in(std::uint32_t gpu) { completions_.cq.home = {gpu, true}; }
  void post(const Region& region, std::size_t at = 0) {
    queue_.post(2048, region.lkey, region.address(at));
  }
  void receive(const Bytes& bytes) {
    const Segment segment{bytes.data(), static_cast<std::uint32_t>(bytes.size())};
    port_.receive({{&segment, 1}, segment.length});
  }
  /// Receives a packet into what is posted first, whose completion is there then.
  void receive_one(const Bytes& bytes) {
    receive(bytes);
    ASSERT_NE(completions_.poll(), nullptr);
    completions_.give_back();
  }
  static bool holds(const Region& region, const Bytes& bytes, std::size_t at = 0) {
    return std::equal(bytes.begin(), bytes.end(),
                      region.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  static bool holds_nothing(const Region& region) {
    return std::all_of(region.bytes.begin(), region.bytes.end(),
                       [](std::uint8_t byte) { return byte == kOld; });
  }
  /// As the engine's rounds do it. False: something is on its way for ever.
  bool all_lands() {
    const Deadline deadline = Deadline::after_ms(5000);
    while (port_.land_late()) {
      if (deadline.passed()) return false;
      clock_.tick();
      sched_yield();
    }
    return true;
  }

  PostedBuffers posted_;
  Device device_{0, "0000:ca:00.0", "mlx5_order", "uverbs0", ""};
  NicClock clock_;
  ScriptedClassifier classifier_;
  RecordingWire* wire_ = new RecordingWire;
  LateWrites late_;
  Port port_{device_, std::unique_ptr<Wire>(wire_), clock_, nullptr, &late_};
  CqUnderTest completions_{3};
  RqUnderTest queue_{device_, completions_.cq, 3};
  Region ram_{device_, 8192}, gpu_{device_, 8192};
  const Bytes frame_ = pattern(300);
  RuleWatch rules_;
};

TEST_F(SoftcxOrder, who_trusts_a_completion_in_ram_reads_old_bytes_in_the_gpus_memory) {
  poll_by_kernels_in(kRam);
  post(gpu_);
  receive_one(frame_);
  EXPECT_TRUE(holds_nothing(gpu_));
  EXPECT_EQ(device_.counters.rx_delivered.load(), 1U);
  EXPECT_TRUE(all_lands());
  EXPECT_TRUE(holds(gpu_, frame_));
  RS_EXPECT_BROKEN(rules_, "receive.completion-order");
}

TEST_F(SoftcxOrder, packet_in_ram_is_overtaken_by_its_completion_in_the_gpus_memory) {
  poll_by_kernels_in(kGpu);
  post(ram_);
  receive_one(frame_);
  EXPECT_TRUE(holds_nothing(ram_));
  RS_EXPECT_BROKEN(rules_, "receive.completion-order");
}

TEST_F(SoftcxOrder, memory_of_two_gpus_is_reached_by_two_paths) {
  poll_by_kernels_in(kOtherGpu);
  post(gpu_);
  receive_one(frame_);
  EXPECT_TRUE(holds_nothing(gpu_));
  RS_EXPECT_BROKEN(rules_, "receive.completion-order");
}

TEST_F(SoftcxOrder, on_one_path_a_completion_comes_after_its_packet) {
  poll_by_kernels_in(kGpu);
  post(gpu_);
  receive_one(frame_);
  EXPECT_TRUE(holds(gpu_, frame_));
  poll_by_kernels_in(kRam);
  post(ram_);
  receive_one(frame_);
  EXPECT_TRUE(holds(ram_, frame_));
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

// The CPU polls; whatever kernel it starts then comes after both.
TEST_F(SoftcxOrder, completion_that_no_kernel_polls_breaks_no_rule) {
  post(gpu_);
  receive_one(frame_);
  EXPECT_TRUE(holds(gpu_, frame_));
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxOrder, nic_that_says_that_completions_wait_has_them_wait) {
  device_.completion_follows_data = true;
  poll_by_kernels_in(kRam);
  post(gpu_);
  receive_one(frame_);
  EXPECT_TRUE(holds(gpu_, frame_));
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxOrder, of_a_split_packet_the_part_on_the_other_path_is_late) {
  RqUnderTest split(device_, completions_.cq, 2, 5);
  put_data_segment(split.wqe(0), 64, ram_.lkey, ram_.address(0));
  put_data_segment(split.wqe(0) + 16, 2048, gpu_.lkey, gpu_.address(0));
  split.write_record(1);
  classifier_.verdict.rq = &split.rq;
  poll_by_kernels_in(kGpu);
  receive_one(frame_);
  EXPECT_TRUE(holds_nothing(ram_));
  EXPECT_TRUE(holds(gpu_, {frame_.begin() + 64, frame_.end()}));
  EXPECT_TRUE(all_lands());
  EXPECT_TRUE(holds(ram_, {frame_.begin(), frame_.begin() + 64}));
  RS_EXPECT_BROKEN(rules_, "receive.completion-order");
}

TEST_F(SoftcxOrder, packets_that_share_a_buffer_are_late_too) {
  RqUnderTest striding(device_, completions_.cq, 2, 5);
  striding.rq.strides = {.log_count = 3, .log_bytes = 6};
  put_data_segment(striding.wqe(0) + 16, 512, gpu_.lkey, gpu_.address(0));
  striding.write_record(1);
  classifier_.verdict.rq = &striding.rq;
  poll_by_kernels_in(kRam);
  receive_one(frame_);
  EXPECT_TRUE(holds_nothing(gpu_));
  EXPECT_TRUE(all_lands());
  EXPECT_TRUE(holds(gpu_, frame_));
}

TEST_F(SoftcxOrder, late_packets_stay_in_order_among_themselves) {
  poll_by_kernels_in(kRam);
  for (int i = 0; i < 100; ++i) {
    post(gpu_);
    receive_one(pattern(60, static_cast<std::uint8_t>(i)));
  }
  EXPECT_TRUE(all_lands());
  EXPECT_TRUE(holds(gpu_, pattern(60, 99)));
}

// PCIe lets no read pass a write on its path.
TEST_F(SoftcxOrder, what_the_nic_itself_reads_has_landed) {
  poll_by_kernels_in(kRam);
  post(gpu_);
  receive_one(frame_);
  CqUnderTest sent(3);
  SqUnderTest sends(device_, sent.cq, 0x300, 3);
  sends.post(WqeOpcode::kSend, send_body(gpu_.lkey, gpu_.address(0), 300));
  sends.sq.producer = sends.next;
  port_.transmitter().run(sends.sq, 8);
  ASSERT_EQ(wire_->sent.size(), 1U);
  EXPECT_EQ(wire_->sent[0], frame_);
}

TEST_F(SoftcxOrder, nothing_is_late_any_more_where_a_key_may_go) {
  poll_by_kernels_in(kRam);
  post(gpu_);
  receive_one(frame_);
  port_.forget();
  EXPECT_TRUE(holds(gpu_, frame_));
  EXPECT_FALSE(port_.land_late());
}

}  // namespace
}  // namespace softcx
