// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which buffers a StridingReceiveQueue gives back, against a model of the NIC that says of a CQE's
// WQE no more than drivers rely on: its place in the ring, and the strides that each CQE takes.
#include "lib/device/striding_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "lib/device/memory.hpp"
#include "lib/device/thread_scope.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint32_t kLogBuffers = 2, kLogStrides = 3, kLogStrideBytes = 6;
constexpr std::uint32_t kBuffers = 1U << kLogBuffers, kStrides = 1U << kLogStrides;
constexpr std::uint32_t kStrideBytes = 1U << kLogStrideBytes;
constexpr std::uint32_t kLogCq = kLogBuffers + kLogStrides;
constexpr std::uint32_t kCqes = 1U << kLogCq;

/// Fills buffers, and knows which of them are its.
class StridingNic {
 public:
  /// Of a queue that has had so many buffers back, and so many CQEs.
  StridingNic(std::uint64_t buffers, std::uint64_t cqes)
      : posted_(buffers + kBuffers), buffer_(buffers), cqes_(cqes), shared_{cqes, cqes} {
    for (std::uint32_t i = 0; i < kCqes; ++i) {
      // Of the lap before, or as the driver has left it.
      const std::uint64_t lap = (cqes - kCqes + ((i - cqes) & (kCqes - 1))) >> kLogCq;
      cqe_[i].op_own = cqes == 0 ? kCqeInitialOpOwn : op_own(CqeOpcode::kResponderSend, lap & 1);
    }
    for (std::uint32_t i = 0; i < kBuffers; ++i) {
      iova_[i] = reinterpret_cast<std::uintptr_t>(bytes_[i].data());
    }
    buffers_.released = buffers * kStrides;
    record_.receive_counter = Be32::of(posted_ & 0xffff);
  }
  StridingQueueHandle handle() {
    return {.completions = {.cqe = cqe_.data(),
                            .cq_record = &cq_record_,
                            .record = &record_,
                            .slot_iova = nullptr,
                            .view_offset = 0,
                            .slot_references = references_.data(),
                            .state = &shared_,
                            .buffer_length = kStrides * kStrideBytes,
                            .log_depth = kLogCq,
                            .log_cq_depth = kLogCq,
                            .rqn = 1,
                            .cq_offset = 0,
                            .payload_iova = nullptr,
                            .payload_view_offset = 0},
            .buffers = {.iova = iova_.data(),
                        .state = &buffers_,
                        .log_buffers = kLogBuffers,
                        .log_strides = kLogStrides,
                        .log_stride_bytes = kLogStrideBytes,
                        .padding = 0}};
  }

  /// A packet that begins with `mark`. false: there is no room for it.
  bool receive(std::uint32_t mark, std::uint32_t length) {
    look_at_record();
    const std::uint32_t strides = (length + kStrideBytes - 1) / kStrideBytes;
    if (buffer_ == posted_) return false;
    if (strides > kStrides) {  // takes what is left, and says so
      complete(CqeOpcode::kResponderError, kStrides - used_, 0);
      return true;
    }
    if (used_ + strides > kStrides) {
      complete(CqeOpcode::kResponderSend, kStrides - used_, kCqeFiller);
      if (buffer_ == posted_) return false;
    }
    std::memcpy(&bytes_[buffer_ % kBuffers][used_ * kStrideBytes], &mark, sizeof(mark));
    complete(CqeOpcode::kResponderSend, strides, length);
    return true;
  }
  /// CQE number n was released.
  void released(std::uint64_t n) { strides_of_cqe_[n % kCqes].second = true; }
  /// Buffers that may be the NIC's: all CQEs of those before are released.
  std::uint64_t expected() {
    while (oldest_ < cqes_ && strides_of_cqe_[oldest_ % kCqes].second) {
      strides_back_ += strides_of_cqe_[oldest_++ % kCqes].first;
    }
    return begun_ + strides_back_ / kStrides + kBuffers;
  }
  std::uint64_t posted() {
    look_at_record();
    return posted_;
  }
  std::uint64_t cqes() const { return cqes_; }

 private:
  static std::uint8_t op_own(CqeOpcode opcode, std::uint64_t owner) {
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(opcode) << 4 | owner);
  }
  void look_at_record() {
    const auto counter = static_cast<std::uint16_t>(record_.receive_counter.value());
    posted_ += static_cast<std::uint16_t>(counter - static_cast<std::uint16_t>(posted_));
    EXPECT_LE(posted_ - buffer_, kBuffers) << "more than the ring has";
  }
  void complete(CqeOpcode opcode, std::uint32_t strides, std::uint32_t length) {
    Cqe& cqe = cqe_[cqes_ % kCqes];
    cqe = {};
    // Above the ring's depth: whatever.
    cqe.wqe_id =
        Be16::of(static_cast<std::uint16_t>(random_() << kLogBuffers | buffer_ % kBuffers));
    cqe.wqe_counter = Be16::of(static_cast<std::uint16_t>(used_));
    cqe.byte_count = Be32::of(strides << kCqeStridesShift | length);
    if (opcode == CqeOpcode::kResponderError) {
      reinterpret_cast<std::uint8_t*>(&cqe)[kErrorCqeSyndromeOffset] =
          static_cast<std::uint8_t>(CqeSyndrome::kLocalLength);
    }
    store_release_system(&cqe.op_own, op_own(opcode, (cqes_ >> kLogCq) & 1));
    strides_of_cqe_[cqes_ % kCqes] = {strides, false};
    ++cqes_;
    used_ += strides;
    if (used_ < kStrides) return;
    used_ = 0;
    ++buffer_;
  }

  std::uint64_t posted_, buffer_;  // with the NIC, and being filled, counted from the first
  std::uint32_t used_ = 0;         // strides of it
  std::uint64_t cqes_;
  const std::uint64_t begun_ = buffer_;
  std::uint64_t oldest_ = cqes_, strides_back_ = 0;
  std::array<std::pair<std::uint32_t, bool>, kCqes> strides_of_cqe_{};
  std::minstd_rand random_{7};

  std::array<Cqe, kCqes> cqe_{};
  std::array<std::array<std::uint8_t, kStrides * kStrideBytes>, kBuffers> bytes_{};
  std::array<std::uint64_t, kBuffers> iova_{};
  std::array<std::uint16_t, kCqes> references_{};
  CqDoorbellRecord cq_record_{};
  DoorbellRecord record_{};
  RxQueueState shared_, buffers_{};
};

/// What a kernel has received and not released.
struct Kept {
  std::uint64_t number;
  std::uint32_t slot;
  bool is_packet;
  std::uint32_t mark;
  Packet packet;
};

/// Packets of all lengths come and are kept for a while, until so many buffers have gone by.
template <class S>
void pass_buffers(S& scope, StridingNic& nic, std::uint64_t buffers) {
  StridingReceiveQueue queue(nic.handle());
  std::minstd_rand random(1);  // the same in all threads
  std::deque<Kept> kept;
  std::deque<std::uint32_t> marks;  // of packets that came
  const std::uint64_t end = scope.broadcast(scope.rank() == 0 ? nic.posted() + buffers : 0);
  const auto is_over = [&] { return nic.posted() >= end || testing::Test::HasFailure(); };
  for (std::uint32_t mark = 1; !scope.broadcast(scope.rank() == 0 && is_over()); ++mark) {
    const auto length = static_cast<std::uint32_t>(1 + random() % (kStrides * kStrideBytes + 64));
    bool came = false;
    if (scope.rank() == 0) came = nic.receive(mark, length);
    came = scope.broadcast(came);
    if (came && length <= kStrides * kStrideBytes) marks.push_back(mark);

    const RxBatch batch = queue.receive(scope, {0, 8, 0});
    ASSERT_FALSE(batch.stopped);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      Kept one{batch.first + i, queue.slot(batch, i), queue.is_packet(batch, i), 0,
               queue.packet(batch, i)};
      if (one.is_packet) {
        ASSERT_FALSE(marks.empty());
        one.mark = marks.front();
        marks.pop_front();
      }
      kept.push_back(one);
    }
    // Sometimes all go, so that none is kept where a buffer ends.
    const bool all = random() % 16 == 0;
    for (std::size_t left = kept.size(); left > 0; --left) {
      const Kept one = kept.front();
      kept.pop_front();
      if (!all && random() % 4 != 0) {
        kept.push_back(one);
        continue;
      }
      std::uint32_t mark_there = 0;
      if (one.is_packet) std::memcpy(&mark_there, one.packet.data(), sizeof(mark_there));
      ASSERT_EQ(mark_there, one.mark) << "overwritten";
      if (scope.rank() != one.number % scope.size()) continue;
      queue.release(one.slot);
    }
    scope.sync();
    if (scope.rank() == 0) {
      std::vector<bool> is_kept(kCqes);
      for (const Kept& one : kept) is_kept[one.number % kCqes] = true;
      for (std::uint64_t n = nic.cqes() > kCqes ? nic.cqes() - kCqes : 0; n < nic.cqes(); ++n) {
        if (n < batch.first + batch.count && !is_kept[n % kCqes]) nic.released(n);
      }
    }
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(nic.posted(), nic.expected()) << "packet " << mark;
    }
  }
}

/// 0: a thread alone.
class DeviceStriding : public testing::TestWithParam<std::uint32_t> {
 protected:
  static void pass(StridingNic& nic, std::uint64_t buffers) {
    if (GetParam() != 0) {
      return run_block(GetParam(), [&](HostBlock& block) { pass_buffers(block, nic, buffers); });
    }
    ThreadScope alone;
    pass_buffers(alone, nic, buffers);
  }
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceStriding, testing::Values(0U, 1U, 32U),
                         [](const auto& size) {
                           return size.param == 0 ? "alone" : std::to_string(size.param);
                         });

TEST_P(DeviceStriding, buffers_come_back_by_the_strides_of_what_was_released) {
  StridingNic nic(0, 0);
  pass(nic, 200);
}

TEST_P(DeviceStriding, numbers_wrap) {
  constexpr std::uint64_t kBuffersBefore = (std::uint64_t{1} << 32) - 50;
  constexpr std::uint64_t kCqesBefore = (std::uint64_t{1} << 32) - 80;
  StridingNic nic(kBuffersBefore, kCqesBefore);  // 16 bits of the one wrap, 24 of the other
  pass(nic, 200);
}

/// More than the 16 bits of the record and of a WQE's index can tell.
TEST(DeviceStridingAlone, more_buffers_go_by_than_a_wqe_index_can_count) {
  StridingNic nic(0, 0);
  ThreadScope alone;
  pass_buffers(alone, nic, 70'000);
}

}  // namespace
}  // namespace ringside::test
