// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What is refused of device memory, and copy engines that die.
#include "tests/unit/softcx_data_device_memory_fixture.hpp"

namespace softcx::test {
namespace {

class SoftcxDeviceMemoryFault : public SoftcxDeviceMemory {
 protected:
  void expect_send_error(Cause cause) {
    const ringside::Cqe* cqe = nullptr;
    ASSERT_TRUE(run_until(port_, [&] { return (cqe = sent_.poll()) != nullptr; }));
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kRequesterError);
    EXPECT_EQ(syndrome(*cqe), static_cast<std::uint8_t>(ringside::CqeSyndrome::kLocalProtection));
    EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(cause));
    EXPECT_EQ(send_.sq.state.load(), QueueState::kError);
    EXPECT_EQ(wire_->sent.size(), 0U);
  }
};

TEST_F(SoftcxDeviceMemoryFault, bounds_of_the_key_hold_on_device_memory) {
  send_.post(WqeOpcode::kSend, send_body(lkey_, gpu_.address(FakeGpu::kSize - 59), 60));
  ring();
  expect_send_error(Cause::kMemoryKey);
  EXPECT_EQ(gpu_.copies.load(), 0);
}

TEST_F(SoftcxDeviceMemoryFault, a_wqe_that_changes_after_its_doorbell_stops_the_queue) {
  gpu_.held = true;
  post_frame(pattern(60), 0);
  ring();
  port_.transmitter().run(send_.sq, 256);
  put_data_segment(send_.block(0) + 32, 60, lkey_, gpu_.address(kHalf + 64));
  gpu_.held = false;
  expect_send_error(Cause::kNotStaged);
}

TEST_F(SoftcxDeviceMemoryFault, memory_without_local_write_is_not_written) {
  const std::uint32_t read_only = register_gpu(device_, gpu_, false);
  receive_.post(2048, read_only, gpu_.address(0));
  receive(pattern(60));
  dma_.settle();
  const ringside::Cqe* cqe = received_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(Cause::kMemoryKey));
  EXPECT_EQ(gpu_.copies.load(), 0);
}

TEST_F(SoftcxDeviceMemoryFault, a_dead_copy_engine_stops_a_send_queue_by_name) {
  gpu_.held = true;
  post_frame(pattern(60), 0);
  ring();
  port_.transmitter().run(send_.sq, 256);
  gpu_.broken = true;
  expect_send_error(Cause::kCopyEngine);
  dma_.turn();
  EXPECT_EQ(violations_with("the fake GPU is broken"), 1U);
}

TEST_F(SoftcxDeviceMemoryFault, a_dead_copy_engine_stops_a_receive_queue) {
  post_buffers(3);
  gpu_.held = true;
  receive(pattern(60));
  receive(pattern(60));
  gpu_.broken = true;
  const ringside::Cqe* cqe = nullptr;
  for (int packet = 0; packet < 2; ++packet) {
    ASSERT_TRUE(run_until(port_, [&] { return (cqe = received_.poll()) != nullptr; }));
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kResponderError);
    EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(Cause::kCopyEngine));
    EXPECT_EQ(cqe->wqe_counter.value(), packet);
  }
  EXPECT_EQ(receive_.rq.state.load(), QueueState::kError);
  EXPECT_EQ(device_.counters.rx_protection_error.load(), 2U);
  EXPECT_EQ(device_.counters.rx_delivered.load(), 0U);
  receive(pattern(60));
  EXPECT_EQ(device_.counters.rx_queue_not_ready.load(), 1U);
  EXPECT_FALSE(dma_.turn());
}

TEST_F(SoftcxDeviceMemory, a_gpu_that_cannot_be_used_says_why) {
  FakeGpu other;
  other.refuses = true;
  std::string why;
  EXPECT_FALSE(dma_.attach(other, why));
  EXPECT_EQ(why, "refused");
  EXPECT_TRUE(dma_.attach(gpu_, why)) << "a second time";
  EXPECT_EQ(gpu_.starts.load(), 0) << "no kernel runs without copies";
}

}  // namespace
}  // namespace softcx::test
