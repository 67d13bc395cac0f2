// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port with queues in memory of the CPU and buffers in that of a GPU, which only a copy engine
// reaches.
#pragma once

#include <gtest/gtest.h>

#include "lib/base/clock.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/port.hpp"
#include "tests/unit/softcx_data_copy_fixture.hpp"

namespace softcx::test {

using ringside::CqeOpcode;
using ringside::Deadline;
using ringside::WqeOpcode;

class SoftcxDeviceMemory : public testing::Test {
 protected:
  SoftcxDeviceMemory() {
    device_.classifier = &classifier_;
    classifier_.verdict = {Verdict::Kind::kDeliver, &receive_.rq, false, 0, 0, 0};
    std::string why;
    EXPECT_TRUE(dma_.attach(gpu_, why)) << why;
    dma_.settle();
    lkey_ = register_gpu(device_, gpu_);
  }

  void receive(const Bytes& bytes) {
    const Segment segment{bytes.data(), static_cast<std::uint32_t>(bytes.size())};
    port_.receive({{&segment, 1}, segment.length});
  }
  void post_buffers(int count, std::uint32_t length = 2048) {
    for (int i = 0; i < count; ++i) {
      receive_.post(length, lkey_, gpu_.address(receive_.next * std::size_t{2048} % kHalf));
    }
  }
  /// Writes a frame into device memory and posts it.
  void post_frame(const Bytes& bytes, std::size_t offset) {
    std::copy(bytes.begin(), bytes.end(), gpu_.at(kHalf + offset));
    send_.post(WqeOpcode::kSend, send_body(lkey_, gpu_.address(kHalf + offset),
                                           static_cast<std::uint32_t>(bytes.size())));
  }
  void ring() { send_.sq.producer = send_.next; }
  template <class Condition>
  bool run_until(Port& port, Condition condition, std::uint64_t milliseconds = 5000) {
    const Deadline deadline = Deadline::after_ms(milliseconds);
    while (!condition()) {
      if (deadline.passed()) return false;
      port.transmitter().run(send_.sq, 256);
      dma_.turn();
      sched_yield();
    }
    return true;
  }
  bool all_executed() const { return static_cast<std::uint16_t>(send_.sq.consumer) == send_.next; }

  static constexpr std::size_t kHalf = FakeGpu::kSize / 2;  // of the senders; before: receivers

  Device device_{0, "0000:ca:00.0", "mlx5_gpu", "uverbs0", ""};
  FakeGpu gpu_, other_;  // longer than dma_, whose workers run on them
  NicClock clock_;
  DeviceDma dma_;
  ScriptedClassifier classifier_;
  RecordingWire* wire_ = new RecordingWire;
  Port port_{device_, std::unique_ptr<Wire>(wire_), clock_, &dma_};
  CqUnderTest sent_{10}, received_{10};
  SqUnderTest send_{device_, sent_.cq, 0x300, 10};
  RqUnderTest receive_{device_, received_.cq, 9};
  std::uint32_t lkey_ = 0;
};

}  // namespace softcx::test
