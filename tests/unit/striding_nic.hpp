// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A NIC that fills a striding ring, for tests of what gives its buffers back. It says of a CQE's
// WQE no more than drivers rely on: its place in the ring, and the strides that each CQE takes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <utility>

#include "lib/device/memory.hpp"
#include "lib/device/striding_queue.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kLogBuffers = 2, kLogStrides = 3, kLogStrideBytes = 6;
inline constexpr std::uint32_t kBuffers = 1U << kLogBuffers, kStrides = 1U << kLogStrides;
inline constexpr std::uint32_t kStrideBytes = 1U << kLogStrideBytes;
inline constexpr std::uint32_t kLogCq = kLogBuffers + kLogStrides;
inline constexpr std::uint32_t kCqes = 1U << kLogCq;
inline constexpr std::uint32_t kLongest = kStrides * kStrideBytes;
inline constexpr std::int64_t kShift = 0x5000'0000;  ///< of a NIC's address from a pointer

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
      iova_[i] = reinterpret_cast<std::uintptr_t>(bytes_[i].data()) + kShift;
    }
    strides_released_ = buffers * kStrides;
    record_.receive_counter = Be32::of(posted_ & 0xffff);
  }
  StridingQueueHandle handle() {
    return {.completions = {.cqe = cqe_.data(),
                            .cq_record = &cq_record_,
                            .record = &record_,
                            .slot_iova = nullptr,
                            .view_offset = -kShift,
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
                        .released = &strides_released_,
                        .log_buffers = kLogBuffers,
                        .log_strides = kLogStrides,
                        .log_stride_bytes = kLogStrideBytes,
                        .padding = 0}};
  }

  /// A packet. false: there is no room for it. One longer than kLongest becomes an error.
  bool receive(std::span<const std::uint8_t> packet) {
    const auto length = static_cast<std::uint32_t>(packet.size());
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
    std::uint8_t* const to = &bytes_[buffer_ % kBuffers][used_ * kStrideBytes];
    std::ranges::copy(packet, to);
    last_iova_ = reinterpret_cast<std::uintptr_t>(to) + kShift;
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
  /// Of the last packet.
  std::uint64_t last_iova() const { return last_iova_; }

 private:
  static std::uint8_t op_own(CqeOpcode opcode, std::uint64_t owner) {
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(opcode) << 4 | owner);
  }
  void look_at_record() {
    const Be32 record{__atomic_load_n(&record_.receive_counter.raw, __ATOMIC_ACQUIRE)};
    const auto counter = static_cast<std::uint16_t>(record.value());
    posted_ += static_cast<std::uint16_t>(counter - static_cast<std::uint16_t>(posted_));
    EXPECT_LE(posted_ - buffer_, kBuffers) << "more than the ring has";
  }
  void complete(CqeOpcode opcode, std::uint32_t strides, std::uint32_t length) {
    Cqe cqe{};
    // Above the ring's depth: whatever.
    cqe.wqe_id =
        Be16::of(static_cast<std::uint16_t>(random_() << kLogBuffers | buffer_ % kBuffers));
    cqe.wqe_counter = Be16::of(static_cast<std::uint16_t>(used_));
    cqe.byte_count = Be32::of(strides << kCqeStridesShift | length);
    if (opcode == CqeOpcode::kResponderError) {
      reinterpret_cast<std::uint8_t*>(&cqe)[kErrorCqeSyndromeOffset] =
          static_cast<std::uint8_t>(CqeSyndrome::kLocalLength);
    }
    // The kernel looks at the last byte all the time, and at the others once that has turned.
    Cqe& to = cqe_[cqes_ % kCqes];
    std::memcpy(&to, &cqe, offsetof(Cqe, op_own));
    store_release_system(&to.op_own, op_own(opcode, (cqes_ >> kLogCq) & 1));
    strides_of_cqe_[cqes_ % kCqes] = {strides, false};
    ++cqes_;
    used_ += strides;
    if (used_ < kStrides) return;
    used_ = 0;
    ++buffer_;
  }

  std::uint64_t posted_, buffer_;  // with the NIC, and being filled, counted from the first
  std::uint32_t used_ = 0;         // strides of it
  std::uint64_t cqes_, last_iova_ = 0;
  const std::uint64_t begun_ = buffer_;
  std::uint64_t oldest_ = cqes_, strides_back_ = 0;
  std::array<std::pair<std::uint32_t, bool>, kCqes> strides_of_cqe_{};
  std::minstd_rand random_{7};

  alignas(64) std::array<Cqe, kCqes> cqe_{};  // as rings lie: GPUs take 16 bytes at a time
  alignas(64) std::array<std::array<std::uint8_t, kLongest>, kBuffers> bytes_{};
  std::array<std::uint64_t, kBuffers> iova_{};
  std::array<std::uint16_t, kCqes> references_{};
  CqDoorbellRecord cq_record_{};
  DoorbellRecord record_{};
  RxQueueState shared_;
  std::uint64_t strides_released_ = 0;
};

}  // namespace ringside::test
