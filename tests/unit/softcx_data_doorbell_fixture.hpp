// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A doorbell page as a driver uses it.
#pragma once

#include <gtest/gtest.h>

#include "lib/softcx/data/doorbell_page.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx::test {

using ringside::WqeOpcode;

/// A page with `count` queues. Each test has a device of its own name, for its violations.
class Page {
 public:
  Page(const std::string& name, std::size_t count, std::uint32_t log_depth = 6)
      : device_(0, "0000:ca:00.0", name, "uverbs0", ""),
        transmitter_(device_, wire_, clock_),
        memory_(4096 / sizeof(std::uint64_t)) {
    uar_.page_id = 3;
    uar_.page = reinterpret_cast<std::uint8_t*>(memory_.data());
    for (std::size_t i = 0; i < count; ++i) {
      queues.push_back(std::make_unique<SqUnderTest>(
          device_, completions.cq, 0x200 + static_cast<std::uint32_t>(i), log_depth));
      queues.back()->sq.consumer = 0;  // as after a reset
    }
    set_up();
  }
  /// What the engine does at each quiescent point.
  void set_up() {
    scheduled_.clear();
    for (const auto& queue : queues) scheduled_.push_back({&queue->sq, &transmitter_, false});
    page_.emplace(device_, uar_, scheduled_);
  }
  void post(std::size_t queue) { last_ = queues[queue]->post(WqeOpcode::kNop, {}); }
  void post(std::size_t queue, std::size_t length) {
    last_ = queues[queue]->post(WqeOpcode::kSend, send_body(region_.lkey, region_.address(0),
                                                            static_cast<std::uint32_t>(length)));
  }
  /// The 56 bytes behind the doorbell word of the last WQE, and the whole of it.
  void flame_tail(std::size_t queue, std::size_t offset) {
    for (std::size_t at = 8; at < ringside::kWqeBasicBlock; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, queues[queue]->block(last_) + at, sizeof(word));
      std::atomic_ref(memory_[(offset + at) / 8]).store(word, std::memory_order_relaxed);
    }
  }
  void flame(std::size_t queue, std::size_t offset) {
    flame_tail(queue, offset);
    ring(queue, offset);
  }
  void scorch(std::size_t offset) { memory_[offset / 8] ^= 1; }
  void record(std::size_t queue) { queues[queue]->write_record(queues[queue]->next); }
  void ring(std::size_t queue, std::size_t offset = ringside::kUarDoorbellOffset) {
    ring_word(queues[queue]->doorbell(last_), offset);
  }
  void ring_word(std::uint64_t word, std::size_t offset = ringside::kUarDoorbellOffset) {
    memory_[offset / sizeof(word)] = word;
  }
  std::uint64_t last_word() { return queues[0]->doorbell(last_); }
  bool poll() { return page_->poll(); }
  void check(std::uint64_t now_ns) { page_->check(now_ns); }
  bool has_work(std::size_t queue) const { return scheduled_[queue].has_work(); }
  void run(std::size_t queue) { transmitter_.run(queues[queue]->sq, 1000); }
  std::size_t violations() const { return violations_with(device_.ibdev + ":"); }
  std::size_t violations(const std::string& what) const {
    return violations_with(device_.ibdev + ": " + what);
  }
  /// As MODIFY_SQ ready -> reset -> ready does it; the driver does not touch the record.
  void restart(std::size_t queue) {
    SqUnderTest& under_test = *queues[queue];
    under_test.sq.state.store(QueueState::kReset);
    set_up();
    under_test.sq.consumer = 0;
    under_test.next = 0;
    under_test.sq.state.store(QueueState::kReady);
    set_up();
  }

  std::vector<std::unique_ptr<SqUnderTest>> queues;
  CqUnderTest completions{8};

 private:
  Device device_;
  Region region_{device_, 4096};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_;
  std::vector<std::uint64_t> memory_;
  Uar uar_;
  std::vector<ScheduledSq> scheduled_;
  std::optional<DoorbellPage> page_;
  std::uint16_t last_ = 0;
};

}  // namespace softcx::test
