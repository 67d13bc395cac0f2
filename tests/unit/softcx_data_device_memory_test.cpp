// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets in memory that only a copy engine reaches.
#include "lib/softcx/wire/direct_wire.hpp"
#include "tests/unit/softcx_data_device_memory_fixture.hpp"

namespace softcx::test {
namespace {

TEST_F(SoftcxDeviceMemory, a_completion_is_not_written_before_its_copy_is_complete) {
  post_buffers(1);
  gpu_.held = true;
  receive(pattern(100));
  const Deadline deadline = Deadline::after_ms(20);
  while (!deadline.passed()) {
    EXPECT_TRUE(dma_.turn());
    ASSERT_EQ(received_.poll(), nullptr);
  }
  EXPECT_EQ(device_.counters.rx_delivered.load(), 0U);
  gpu_.held = false;
  const ringside::Cqe* cqe = nullptr;
  ASSERT_TRUE(run_until(port_, [&] { return (cqe = received_.poll()) != nullptr; }));
  EXPECT_EQ(cqe->byte_count.value(), 100U);
  EXPECT_EQ(std::memcmp(gpu_.at(0), pattern(100).data(), 100), 0);
  EXPECT_EQ(device_.counters.rx_delivered.load(), 1U);
  EXPECT_EQ(device_.counters.rx_delivered_bytes.load(), 100U);
  EXPECT_FALSE(dma_.turn());
}

TEST_F(SoftcxDeviceMemory, a_completion_waits_behind_one_that_waits_for_its_copy) {
  Region region(device_, 4096);
  post_buffers(1);
  receive_.post(2048, region.lkey, region.address(0));
  gpu_.held = true;
  receive(pattern(100));
  receive(pattern(60));  // into host memory
  EXPECT_EQ(std::memcmp(region.bytes.data(), pattern(60).data(), 60), 0);
  dma_.turn();
  EXPECT_EQ(received_.ring[1].op_own, ringside::kCqeInitialOpOwn);
  gpu_.held = false;
  ASSERT_TRUE(run_until(port_, [&] { return received_.poll() != nullptr; }));
  EXPECT_NE(received_.poll(), nullptr);
  EXPECT_EQ(device_.counters.rx_delivered.load(), 2U);
  EXPECT_EQ(received_.cq.holder, nullptr);
}

// Header-data split: whichever part is in device memory, the completion comes after both.
TEST_F(SoftcxDeviceMemory, a_completion_waits_for_both_parts_of_a_packet) {
  Region region(device_, 4096);
  RqUnderTest split(device_, received_.cq, 2, 5);
  put_data_segment(split.wqe(0), 64, region.lkey, region.address(0));
  put_data_segment(split.wqe(0) + 16, 2048, lkey_, gpu_.address(0));
  put_data_segment(split.wqe(1), 64, lkey_, gpu_.address(4096));
  put_data_segment(split.wqe(1) + 16, 2048, region.lkey, region.address(1024));
  split.write_record(2);
  classifier_.verdict.rq = &split.rq;
  const Bytes sent = pattern(300);
  gpu_.held = true;
  receive(sent);
  receive(sent);
  dma_.turn();
  EXPECT_EQ(received_.poll(), nullptr);
  EXPECT_EQ(std::memcmp(region.bytes.data(), sent.data(), 64), 0);
  EXPECT_EQ(std::memcmp(region.bytes.data() + 1024, sent.data() + 64, 236), 0);
  gpu_.held = false;
  for (int i = 0; i < 2; ++i) {
    const ringside::Cqe* cqe = nullptr;
    ASSERT_TRUE(run_until(port_, [&] { return (cqe = received_.poll()) != nullptr; }));
    EXPECT_EQ(cqe->byte_count.value(), 300U);
  }
  EXPECT_EQ(std::memcmp(gpu_.at(0), sent.data() + 64, 236), 0);
  EXPECT_EQ(std::memcmp(gpu_.at(4096), sent.data(), 64), 0);
}

TEST_F(SoftcxDeviceMemory, frames_of_all_lengths_and_places_are_sent_as_they_are) {
  std::vector<Bytes> expected;
  std::size_t offset = 0;
  for (std::size_t length = 14; length <= 1514; length += 3) {
    expected.push_back(pattern(length, static_cast<std::uint8_t>(length)));
    post_frame(expected.back(), offset + length % 31);
    offset = (offset + 2048) % kHalf;
    if (offset != 0) continue;
    ring();  // the memory is used again
    ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  }
  ring();
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_TRUE(wire_->sent == expected);
}

TEST_F(SoftcxDeviceMemory, packets_go_from_device_memory_to_device_memory) {
  auto* const loop = new DirectWire(0);
  Port port(device_, std::unique_ptr<Wire>(loop), clock_, &dma_);
  Receiver* const self[] = {&port};
  loop->attach(self);
  constexpr int kFrames = 5000;
  int taken = 0;
  const auto take = [&] {
    while (const ringside::Cqe* cqe = received_.poll()) {
      const Bytes expected = pattern(60 + taken % 200, static_cast<std::uint8_t>(taken));
      ASSERT_EQ(cqe->byte_count.value(), expected.size());
      const std::size_t at = taken * std::size_t{2048} % kHalf;
      ASSERT_EQ(std::memcmp(gpu_.at(at), expected.data(), expected.size()), 0) << taken;
      ++taken;
    }
    received_.give_back();
    while (sent_.poll() != nullptr) {
    }
    sent_.give_back();
  };
  for (int i = 0; i < kFrames;) {
    for (int burst = 0; burst < 100; ++burst, ++i) {
      post_buffers(1);
      post_frame(pattern(60 + i % 200, static_cast<std::uint8_t>(i)), i % 250 * std::size_t{2048});
    }
    ring();
    ASSERT_TRUE(run_until(port, [&] {
      take();
      return taken == i;
    })) << taken;
  }
  EXPECT_EQ(device_.counters.rx_delivered.load(), std::uint64_t{kFrames});
  EXPECT_EQ(device_.counters.tx_packets.load(), std::uint64_t{kFrames});
}

TEST_F(SoftcxDeviceMemory, a_kernel_that_has_left_comes_back_on_demand) {
  std::vector<Bytes> expected;
  for (int i = 0; i < 40; ++i) {
    const int left = gpu_.starts;
    for (int frame = 0; frame < 100; ++frame) {
      expected.push_back(pattern(100, static_cast<std::uint8_t>(i + frame)));
      post_frame(expected.back(), frame * std::size_t{2048});
    }
    ring();
    gpu_.quota = i % 13;  // of 13 chunks: also none
    ASSERT_TRUE(run_until(port_, [&] { return all_executed(); })) << i;
    EXPECT_GT(gpu_.starts, left) << i;
    while (sent_.poll() != nullptr) {
    }
    sent_.give_back();
  }
  EXPECT_TRUE(wire_->sent == expected);
}

TEST_F(SoftcxDeviceMemory, more_is_posted_than_can_be_fetched_at_once) {
  std::vector<Bytes> expected;
  gpu_.held = true;
  for (int i = 0; i < 1000; ++i) {
    expected.push_back(pattern(60, static_cast<std::uint8_t>(i)));
    post_frame(expected.back(), i % 250 * std::size_t{2048} + i / 250 * std::size_t{64});
  }
  ring();
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(port_.transmitter().run(send_.sq, 256), 0U) << "a queue that waits has work";
  }
  gpu_.held = false;
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_TRUE(wire_->sent == expected);
}

TEST_F(SoftcxDeviceMemory, a_turn_ends_with_its_budget_within_what_was_fetched) {
  std::vector<Bytes> expected;
  for (std::uint8_t i = 0; i < 20; ++i) {
    expected.push_back(pattern(100, i));
    post_frame(expected.back(), i * std::size_t{2048});
  }
  ring();
  for (std::size_t sent = 3; sent <= 18; sent += 3) {
    const Deadline deadline = Deadline::after_ms(5000);
    while (wire_->sent.size() < sent && !deadline.passed()) {
      port_.transmitter().run(send_.sq, 3);
      dma_.turn();
    }
    ASSERT_EQ(wire_->sent.size(), sent);
  }
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_TRUE(wire_->sent == expected);
}

TEST_F(SoftcxDeviceMemory, a_queue_that_finds_no_staging_memory_has_its_turn_later) {
  SqUnderTest other{device_, sent_.cq, 0x301, 4};
  gpu_.held = true;
  for (std::uint32_t i = 0; i < CopyLane::kSendBatches; ++i) {
    post_frame(pattern(60, static_cast<std::uint8_t>(i)), i * std::size_t{2048});
    ring();
    port_.transmitter().run(send_.sq, 256);  // each time a batch of one
  }
  std::memcpy(gpu_.at(kHalf - 2048), pattern(99).data(), 99);
  other.post(WqeOpcode::kSend, send_body(lkey_, gpu_.address(kHalf - 2048), 99));
  other.sq.producer = other.next;
  EXPECT_NE(port_.transmitter().run(other.sq, 256), 0U) << "a queue that waits has work";
  EXPECT_EQ(other.sq.oldest_batch, nullptr);
  gpu_.held = false;
  ASSERT_TRUE(run_until(port_, [&] {
    port_.transmitter().run(other.sq, 256);
    return all_executed() && static_cast<std::uint16_t>(other.sq.consumer) == other.next;
  }));
  EXPECT_EQ(wire_->sent.size(), CopyLane::kSendBatches + 1U);
  EXPECT_NE(std::find(wire_->sent.begin(), wire_->sent.end(), pattern(99)), wire_->sent.end());
}

TEST_F(SoftcxDeviceMemory, segments_of_host_and_device_memory_make_one_frame) {
  Region region(device_, 4096);
  const Bytes bytes = pattern(300);
  std::copy_n(bytes.begin(), 40, region.bytes.begin());
  std::copy(bytes.begin() + 40, bytes.end(), gpu_.at(kHalf + 5));
  Bytes body(sizeof(ringside::EthernetSegment) + 3 * sizeof(ringside::DataSegment));
  std::uint8_t* at = body.data() + sizeof(ringside::EthernetSegment);
  put_data_segment(at, 40, region.lkey, region.address(0));
  put_data_segment(at + 16, 100, lkey_, gpu_.address(kHalf + 5));
  put_data_segment(at + 32, 160, lkey_, gpu_.address(kHalf + 105));
  send_.post(WqeOpcode::kSend, body);
  ring();
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_EQ(wire_->sent, std::vector<Bytes>{bytes});
}

TEST_F(SoftcxDeviceMemory, packets_of_a_session_come_from_device_memory) {
  std::vector<Bytes> expected;
  Bytes body(sizeof(ringside::EthernetSegment));
  for (int i = 0; i < 20; ++i) {
    expected.push_back(pattern(60 + i, static_cast<std::uint8_t>(i)));
    std::copy(expected.back().begin(), expected.back().end(), gpu_.at(kHalf + i * 256));
    body.resize(body.size() + sizeof(ringside::DataSegment));
    put_data_segment(body.data() + body.size() - sizeof(ringside::DataSegment), 60 + i, lkey_,
                     gpu_.address(kHalf + i * 256));
  }
  send_.post(WqeOpcode::kEnhancedMpw, body);
  ring();
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_TRUE(wire_->sent == expected);
}

TEST_F(SoftcxDeviceMemory, a_frame_too_long_to_be_sent_is_not_fetched) {
  send_.post(WqeOpcode::kSend, send_body(lkey_, gpu_.address(kHalf), 400'000));
  post_frame(pattern(60), 0);
  ring();
  ASSERT_TRUE(run_until(port_, [&] { return all_executed(); }));
  EXPECT_EQ(device_.counters.tx_oversize.load(), 1U);
  EXPECT_EQ(wire_->sent, std::vector<Bytes>{pattern(60)});
  EXPECT_EQ(gpu_.copies.load(), 1);
}

TEST_F(SoftcxDeviceMemory, packets_go_from_one_gpu_to_another) {
  FakeGpu& other = other_;
  std::string why;
  ASSERT_TRUE(dma_.attach(other, why));
  dma_.settle();
  const std::uint32_t other_lkey = register_gpu(device_, other);
  auto* const loop = new DirectWire(0);
  Port port(device_, std::unique_ptr<Wire>(loop), clock_, &dma_);
  Receiver* const self[] = {&port};
  loop->attach(self);
  for (int i = 0; i < 100; ++i) {
    // To either GPU, in turns: completions keep their order.
    if (i % 2 == 0) {
      receive_.post(2048, other_lkey, other.address(i * std::size_t{2048}));
    } else {
      receive_.post(2048, lkey_, gpu_.address(i * std::size_t{2048}));
    }
    post_frame(pattern(60 + i), i * std::size_t{2048});
  }
  ring();
  int taken = 0;
  ASSERT_TRUE(run_until(port, [&] {
    for (const ringside::Cqe* cqe = nullptr; (cqe = received_.poll()) != nullptr; ++taken) {
      const std::uint8_t* const at = (taken % 2 == 0 ? other : gpu_).at(taken * std::size_t{2048});
      EXPECT_EQ(cqe->wqe_counter.value(), taken);
      EXPECT_EQ(std::memcmp(at, pattern(60 + taken).data(), 60 + taken), 0) << taken;
    }
    return taken == 100;
  }));
}

}  // namespace
}  // namespace softcx::test
