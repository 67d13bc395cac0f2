// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue of lib/device on softcx's data path: kernels write the ring, and the strict model of
// the NIC executes what they ring for, a step at a time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/device/send_queue.hpp"
#include "lib/mlx5/nic_time.hpp"
#include "lib/softcx/data/doorbell_page.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/send_rig.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace ringside::test {

class SoftcxSendRig {
  softcx::PostedBuffers posted_;

 public:
  /// `start`: index of the first WQE.
  /// `line_bits_per_s`: 0 for a line on which frames take no time.
  explicit SoftcxSendRig(std::uint32_t log_depth = 6, std::uint64_t start = 0,
                         std::uint64_t line_bits_per_s = 0)
      : device(0, "0000:ca:00.0", "mlx5_rig", "uverbs0", ""),
        transmitter_(with_line(device, line_bits_per_s), wire, clock),
        completions_(log_depth),
        queue_(device, completions_.cq, 0x1234, log_depth),
        shared_(std::make_unique<TxSharedState>()),
        batch_end_(std::size_t{1} << log_depth) {
    device.mtu.store(9000);
    device.posted = &posted_;
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) {
      memory.bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    }
    queue_.sq.consumer = (1U << 16) + (start & 0xffff);
    queue_.sq.producer = static_cast<std::uint16_t>(start);
    queue_.write_record(static_cast<std::uint16_t>(start));
    state_ = {start, start, 0};
    *shared_ = shared_state(state_);
    uar_.page = reinterpret_cast<std::uint8_t*>(page_memory_);
    scheduled_[0] = {&queue_.sq, &transmitter_, false};
    page_.emplace(device, uar_, scheduled_);
  }

  /// Fails the test for every rule of the NIC that was broken, unless it is `to_be_broken`.
  ~SoftcxSendRig() { EXPECT_EQ(rules_.broken(), to_be_broken); }
  SoftcxSendRig(const SoftcxSendRig&) = delete;
  SoftcxSendRig& operator=(const SoftcxSendRig&) = delete;

  TxQueueHandle exclusive() {
    return {.wqe = reinterpret_cast<SendWqe*>(queue_.storage.data()),
            .record = &queue_.record,
            .doorbell = page_memory_ + kUarDoorbellOffset / sizeof(std::uint64_t),
            .cqe = completions_.ring.data(),
            .cq_record = &completions_.record,
            .wqe_slot = nullptr,
            .state = &state_,
            .lkey = memory.lkey,
            .log_depth = queue_.sq.log_depth,
            .log_cq_depth = completions_.cq.log_depth,
            .sqn = queue_.sq.sqn,
            .in_gpu_memory = false,
            .doorbell_kind = doorbell_kind,
            .multi_packet = true,
            .wait_mask = (std::uint64_t{1} << 33) - 1};
  }
  template <Sharing kSharing>
  SendQueueHandle<kSharing> handle() {
    if constexpr (kSharing == Sharing::kExclusive) {
      return exclusive();
    } else {
      return {exclusive(), shared_.get(), batch_end_.data()};
    }
  }

  /// Before anything is sent: what the queue counts.
  /// Of what it counts.
  NsToStamp ns_to_stamp() const {
    return mlx5::ns_to_stamp(device.clocks.real_time ? prm::TimestampFormat::kRealTime
                                                     : prm::TimestampFormat::kFreeRunning,
                             device.clocks.khz);
  }
  void keep(const softcx::Clocks& clocks) {
    device.clocks = clocks;
    queue_.sq.stamps = softcx::StampFormat(clocks, clocks.real_time);
  }

  /// The NIC looks at its doorbells and executes what is posted.
  void serve() {
    clock.tick();
    const std::uint16_t before = queue_.sq.producer;
    page_->poll();
    if (queue_.sq.producer != before) last_rung_ns_ = clock.now_ns();
    transmitter_.run(queue_.sq, 1000);
  }
  /// The NIC's time when it saw the last WQE that was posted.
  std::uint64_t last_rung_ns() const { return last_rung_ns_; }
  const std::vector<softcx::test::Bytes>& sent() const { return wire.sent; }
  softcx::QueueState nic_state() const { return queue_.sq.state.load(); }
  std::uint64_t wqes_left() const { return queue_.sq.producer - queue_.sq.consumer; }

  /// Bytes of a BlueFlame buffer, as the NIC sees them.
  std::span<const std::uint8_t> blue_flame(std::size_t buffer) const {
    const auto* const page = reinterpret_cast<const std::uint8_t*>(page_memory_);
    return {page + kUarDoorbellOffset + buffer * kBlueFlameBufferBytes, kWqeBasicBlock};
  }
  std::span<const std::uint8_t> wqe(std::uint64_t index) {
    return {queue_.block(static_cast<std::uint16_t>(index)), kWqeBasicBlock};
  }

  DoorbellKind doorbell_kind = DoorbellKind::kRegular;
  std::vector<std::string> to_be_broken;
  softcx::Device device;
  softcx::NicClock clock;
  softcx::test::RecordingWire wire;
  softcx::test::Region memory{device, 65536};  ///< of the queue's lkey
  softcx::test::Region other{device, 4096};    ///< of a key of its own

 private:
  static softcx::Device& with_line(softcx::Device& device, std::uint64_t bits_per_s) {
    device.line_bits_per_s = bits_per_s;
    return device;
  }

  softcx::test::RuleWatch rules_;
  softcx::Transmitter transmitter_;
  softcx::test::CqUnderTest completions_;
  softcx::test::SqUnderTest queue_;
  TxQueueState state_{};
  std::uint64_t last_rung_ns_ = 0;
  std::unique_ptr<TxSharedState> shared_;
  std::vector<std::uint64_t> batch_end_;
  alignas(4096) std::uint64_t page_memory_[4096 / sizeof(std::uint64_t)] = {};
  softcx::Uar uar_;
  softcx::ScheduledSq scheduled_[1];
  std::optional<softcx::DoorbellPage> page_;
};

/// Sends by all sharings and scopes, beside the NIC.
class SendContent : public SendTest {
 protected:
  /// Calls body(scope, queue) in each thread of a scope, beside the NIC.
  template <class Body>
  void run(SoftcxSendRig& rig, Body body) {
    std::atomic<bool> done{false};
    std::jthread scope_threads([&] {
      run_scope(rig, GetParam(), body);
      done = true;
    });
    EXPECT_TRUE(step_until([&] { return done.load(); }, [&] { rig.serve(); }));
    rig.serve();
  }
  /// Sends, and waits until all is sent.
  template <class PacketOf>
  void send(SoftcxSendRig& rig, std::uint32_t count, PacketOf packet_of) {
    run(rig, [&](auto& scope, auto& queue) {
      const TxBatch sent = queue.send(scope, count, packet_of, kEver);
      ASSERT_EQ(sent.status, TxStatus::kOk);
      ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
      EXPECT_EQ(queue.completed(), sent.end());
    });
    EXPECT_EQ(rig.nic_state(), softcx::QueueState::kReady);
  }
};

inline std::vector<Senders> content_senders() {
  std::vector<Senders> all;
  for (const Sharing sharing : {Sharing::kExclusive, Sharing::kGpu}) {
    all.push_back({sharing, ScopeKind::kThread, 1});
    for (const std::uint32_t threads : {1U, 32U, 256U}) {
      all.push_back({sharing, ScopeKind::kBlock, threads});
    }
  }
  return all;
}
#define RS_FOR_SEND_QUEUES(Suite) \
  INSTANTIATE_TEST_SUITE_P(senders, Suite, testing::ValuesIn(content_senders()), name_of_senders)

}  // namespace ringside::test
