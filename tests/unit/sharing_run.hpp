// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs what tests/unit/sharing_scopes.hpp has, beside the fake NIC.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/device/counted.hpp"
#include "tests/unit/send_rig.hpp"
#include "tests/unit/sharing_scopes.hpp"
#if defined(RINGSIDE_TEST_ON_GPU)
#include "tests/gpu/sharing.hpp"
#endif

namespace ringside::test {

/// Scopes that share the rig's queue. Each has a buffer that its number names.
class SharingScopes {
 public:
  SharingScopes(SendRig& rig, const Senders& senders)
      : rig_(rig), senders_(senders), reports_(senders.scopes()), counters_(senders.blocks) {
    rig.name_buffers();
    for (std::uint32_t i = 0; i < senders.scopes(); ++i) buffers_.push_back(rig.buffer(i));
  }

  /// What each scope does; `step` is the test's own, all the while. A failure names who did not
  /// come to the end, or found something wrong.
  template <class What, class Step>
  void run(SharingOrders orders, Step step) {
    orders.buffers = buffers_.data();
    orders.reports = reports_.data();
    orders.go = &go_;
    orders.scopes = senders_.scopes();
    if (senders_.sharing == Sharing::kBlock) {
      run_as<What, Sharing::kBlock>(orders, step);
    } else {
      run_as<What, Sharing::kGpu>(orders, step);
    }
    for (std::uint32_t i = 0; i < reports_.size(); ++i) {
      EXPECT_EQ(reports_[i].wrong, 0U) << "line of sharing_scopes.hpp, found by " << about(i);
    }
  }
  void go() { store_release_system(&go_, 1U); }

  std::uint32_t sent(std::uint32_t number) const {
    return load_acquire_system(&reports_[number].sent);
  }
  std::uint32_t all_sent() const { return sum(&ScopeReport::sent); }
  std::uint32_t all_taken() const { return sum(&ScopeReport::taken); }
  /// Of queues that are counted, in the end.
  QueueCounters counted() const {
    QueueCounters sum{};
    for (const QueueCounters& of_block : counters_) sum = sum + read_counters(of_block);
    return sum;
  }

 private:
#if defined(RINGSIDE_TEST_ON_GPU)
  template <class What, Sharing kSharing, class Step>
  void run_as(const SharingOrders& orders, Step step) {
    gpu::SharingArgs<kSharing> args{rig_.handle<kSharing>(), orders, counters_.data()};
    const gpu::Launch launch(
        gpu::sharing_kernel<What, kSharing>(static_cast<gpu::GpuScope>(senders_.scope)),
        senders_.blocks, senders_.threads, &args);
    await_end(step);
  }
#else
  template <class What, Sharing kSharing, class Step>
  void run_as(const SharingOrders& orders, Step step) {
    const std::uint32_t scopes_a_block = senders_.scopes() / senders_.blocks;
    std::deque<QueueTally> tallies(senders_.blocks);
    for (std::uint32_t i = 0; i < senders_.blocks; ++i) tallies[i].begin(&counters_[i]);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t number = 0; number < senders_.scopes(); ++number) {
        threads.emplace_back([&, number] {
          const auto as = [&](auto& scope) {
            run_in_scope<What, kSharing>(number, scope, tallies[number / scopes_a_block],
                                         rig_.handle<kSharing>(), orders);
          };
          if (senders_.scope == ScopeKind::kThread) return run_alone(as);
          run_block(senders_.threads_a_scope(), as);
        });
      }
      await_end(step);
    }
    for (QueueTally& tally : tallies) tally.publish();
  }
#endif

  template <class Step>
  void await_end(Step step) {
    const auto done = [&] {
      return std::ranges::all_of(reports_, [](const ScopeReport& report) {
        return load_acquire_system(&report.doing) == static_cast<std::uint32_t>(Doing::kDone);
      });
    };
    if (step_until(done, step)) return;
    std::ostringstream who;
    for (std::uint32_t i = 0, told = 0; i < reports_.size() && told < kTold; ++i) {
      if (load_acquire_system(&reports_[i].doing) == static_cast<std::uint32_t>(Doing::kDone)) {
        continue;
      }
      who << "\n  " << about(i);
      ++told;
    }
    ADD_FAILURE() << senders_.name() << ": no end within " << kPatienceMs
                  << " ms; of those that go on:" << who.str();
  }
  std::string about(std::uint32_t number) const {
    static constexpr const char* kDoing[] = {"begins", "sends", "polls", "awaits the test", "done"};
    const ScopeReport& report = reports_[number];
    std::ostringstream text;
    text << "scope " << number << ", which " << kDoing[load_acquire_system(&report.doing)]
         << " (call " << load_relaxed_system(&report.call) << ", "
         << load_relaxed_system(&report.sent) << " packets sent)";
    return text.str();
  }
  template <class Member>
  std::uint32_t sum(Member member) const {
    std::uint32_t all = 0;
    for (const ScopeReport& report : reports_) all += load_acquire_system(&(report.*member));
    return all;
  }

  static constexpr std::uint32_t kTold = 8;
  SendRig& rig_;
  const Senders senders_;
  std::vector<std::uint64_t> buffers_;
  std::vector<ScopeReport> reports_;
  std::vector<QueueCounters> counters_;
  std::uint32_t go_ = 0;
};

}  // namespace ringside::test
