// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// StridingNic with a send queue, for tests of what is sent out of buffers that packets share: it
// reads frames where the kernel says that they lie, and knows until when their strides are held.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "lib/device/stream.hpp"
#include "tests/unit/striding_nic.hpp"

namespace ringside::test {

class StridedPair {
 public:
  using Frame = std::vector<std::uint8_t>;

  /// As StridingNic; so many WQEs were posted and sent.
  explicit StridedPair(std::uint64_t buffers = 0, std::uint64_t cqes = 0, std::uint64_t sends = 0)
      : rx_(buffers, cqes),
        seen_(sends),
        completed_(sends),
        cq_next_(sends),
        tx_state_{sends, sends, sends} {
    for (std::uint32_t i = 0; i < kSends; ++i) {
      const std::uint64_t lap = (sends - kSends + ((i - sends) & (kSends - 1))) >> kLogSends;
      tx_cqe_[i].op_own = sends == 0 ? kCqeInitialOpOwn : static_cast<std::uint8_t>(lap & 1);
    }
    tx_record_.send_counter = Be32::of(static_cast<std::uint32_t>(sends & 0xffff));
    const StridingQueueHandle handle = rx_.handle();
    stream_.rx = handle.completions;
    stream_.strides = handle.buffers;
    stream_.tx = {.wqe = wqe_.data(),
                  .record = &tx_record_,
                  .doorbell = &doorbell_,
                  .cqe = tx_cqe_.data(),
                  .cq_record = &tx_cq_record_,
                  .wqe_slot = wqe_slot_.data(),
                  .state = &tx_state_,
                  .lkey = kLkey,
                  .log_depth = kLogSends,
                  .log_cq_depth = kLogSends,
                  .sqn = 3};
    stream_.counters = &counters_;
    stream_.control = &control_;
    stream_.status = &status_;
    stream_.burst = 16;
    stream_.drain_ns = 1'000'000'000;
  }

  StreamArgs& stream() { return stream_; }
  StreamCounters counters() const {
    StreamCounters copy{};
    const auto* from = reinterpret_cast<const std::uint64_t*>(&counters_);
    auto* to = reinterpret_cast<std::uint64_t*>(&copy);
    for (std::size_t i = 0; i < sizeof(copy) / sizeof(*to); ++i) {
      to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
    }
    return copy;
  }
  BlockPhase phase() const {
    BlockPhase phase{};
    __atomic_load(&status_.phase, &phase, __ATOMIC_ACQUIRE);
    return phase;
  }

  /// As StridingNic::receive. `stays`: its buffer may come back when its send has completed, not
  /// before.
  bool receive(const Frame& frame, bool stays = true) {
    const std::uint64_t first = rx_.cqes();
    const bool came = rx_.receive(frame);
    const bool is_packet = came && frame.size() <= kLongest;
    // Nobody holds fillers and errors.
    for (std::uint64_t n = first; n < rx_.cqes(); ++n) {
      if (is_packet && stays && n + 1 == rx_.cqes()) {
        number_at_[rx_.last_iova()] = n;
      } else {
        rx_.released(n);
      }
    }
    judge();
    return came;
  }
  /// Reads the frames that the record announces.
  void read_sends() {
    judge();
    const Be32 record{__atomic_load_n(&tx_record_.send_counter.raw, __ATOMIC_ACQUIRE)};
    const auto count = static_cast<std::uint16_t>(static_cast<std::uint16_t>(record.value()) -
                                                  static_cast<std::uint16_t>(seen_));
    ASSERT_LE(seen_ + count - completed_, kSends) << "the send queue overruns";
    for (const std::uint64_t end = seen_ + count; seen_ < end; ++seen_) {
      const SendWqe& wqe = wqe_[seen_ % kSends];
      const std::uint64_t iova = wqe.data.address.value();
      ASSERT_EQ(wqe.data.lkey.value(), kLkey);
      const auto found = number_at_.find(iova);
      ASSERT_NE(found, number_at_.end()) << "no packet lies there, or it was sent before";
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(iova - kShift);
      sent_.emplace_back(bytes, bytes + wqe.data.byte_count.value());
      in_flight_.push_back({found->second, (wqe.control.fm_ce_se & kCeMask) == kCeAlways});
      number_at_.erase(found);
    }
  }
  /// Up to so many of these are sent.
  void complete_sends(std::uint32_t count = ~0U) {
    for (; count > 0 && !in_flight_.empty(); --count) {
      rx_.released(in_flight_.front().cqe);
      if (in_flight_.front().asks) write_cqe(completed_, 0, 0);
      in_flight_.pop_front();
      ++completed_;
    }
  }
  /// The next of these fails, and the rest is flushed.
  void fail_sends() {
    for (std::uint8_t syndrome = 0x04; !in_flight_.empty(); syndrome = 0x05, ++completed_) {
      rx_.released(in_flight_.front().cqe);
      write_cqe(completed_, 0xd, syndrome);
      in_flight_.pop_front();
    }
  }

  const std::vector<Frame>& sent() const { return sent_; }
  std::size_t in_flight() const { return in_flight_.size(); }
  /// Buffers that were given to the NIC, with those of the start, and those that may be.
  std::uint64_t posted() { return rx_.posted(); }
  std::uint64_t expected() { return rx_.expected(); }

 private:
  static constexpr std::uint32_t kLogSends = 5, kSends = 1U << kLogSends, kLkey = 0x1234;
  struct InFlight {
    std::uint64_t cqe;  ///< of the packet, by number
    bool asks;          ///< for a CQE
  };

  /// No buffer comes back too early.
  void judge() { EXPECT_LE(rx_.posted(), rx_.expected()) << "a packet was not sent yet"; }
  void write_cqe(std::uint64_t wqe, unsigned opcode, std::uint8_t syndrome) {
    Cqe& cqe = tx_cqe_[cq_next_ % kSends];
    cqe.wqe_counter = Be16::of(static_cast<std::uint16_t>(wqe));
    reinterpret_cast<std::uint8_t*>(&cqe)[kErrorCqeSyndromeOffset] = syndrome;
    const auto owner = static_cast<unsigned>(cq_next_ >> kLogSends & 1);
    store_release_system(&cqe.op_own, static_cast<std::uint8_t>(opcode << 4 | owner));
    ++cq_next_;
  }

  StridingNic rx_;
  std::uint64_t seen_, completed_, cq_next_;          // WQEs read and sent, CQEs written
  std::map<std::uint64_t, std::uint64_t> number_at_;  // CQE numbers of packets not sent, by address
  std::deque<InFlight> in_flight_;
  std::vector<Frame> sent_;

  alignas(64) std::array<SendWqe, kSends> wqe_{};
  alignas(64) std::array<Cqe, kSends> tx_cqe_{};
  std::array<std::uint32_t, kSends> wqe_slot_{};
  DoorbellRecord tx_record_{};
  CqDoorbellRecord tx_cq_record_{};
  std::uint64_t doorbell_ = 0;
  TxQueueState tx_state_;
  StreamCounters counters_{};
  StreamControl control_{};
  StreamStatus status_{};
  StreamArgs stream_{};
};

}  // namespace ringside::test
