// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules come and go while another thread classifies, as the engine does. Run under the thread and
// address sanitizers, this shows that nothing is freed under the reader.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/unit/softcx_steering_fixture.hpp"
#include "tests/unit/wait.hpp"

namespace softcx {
namespace {

/// Classifies in a loop; between two packets is a quiescent point.
class ClassifyingEngine : public EngineControl {
 public:
  ClassifyingEngine(Steering& steering, std::vector<frames::Bytes> packets)
      : packets_(std::move(packets)), thread_([this, &steering] { run(steering); }) {}
  ~ClassifyingEngine() override {
    stop_.store(true, std::memory_order_release);
    thread_.join();
  }

  void synchronize() override {
    const std::uint64_t now = turns_.load(std::memory_order_acquire);
    // The turn under way may have begun before; the one after it has not.
    EXPECT_TRUE(ringside::test::wait_until(
        [&] { return turns_.load(std::memory_order_acquire) >= now + 2; }));
  }
  void wake() override {}
  bool attach(CopyEngine& /*engine*/, std::string& /*why*/) override { return true; }

  std::uint64_t delivered() const { return delivered_.load(std::memory_order_relaxed); }

 private:
  void run(Steering& steering) {
    HeaderFacts facts;
    while (!stop_.load(std::memory_order_acquire)) {
      for (const frames::Bytes& packet : packets_) {
        const Verdict verdict =
            steering.classify(packet, static_cast<std::uint32_t>(packet.size()), facts);
        count_rules(verdict, static_cast<std::uint32_t>(packet.size()));
        if (verdict.kind == Verdict::Kind::kDeliver) count(delivered_);
        steering.reaches_ready_queue();
        turns_.fetch_add(1, std::memory_order_acq_rel);
      }
    }
  }

  const std::vector<frames::Bytes> packets_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> turns_{0}, delivered_{0};
  std::thread thread_;
};

using Churn = SteeringTest;

TEST_F(Churn, rules_tables_and_tirs_change_under_traffic) {
  std::vector<frames::Bytes> packets;
  for (std::uint16_t port = 0; port < 64; ++port) packets.push_back(frames::udp4(1, port));
  // A rule that always holds: its packets are never lost, whatever changes around it.
  Matcher* matcher = udp_port_matcher(*root_);
  rule(matcher, {{kUdpPort, 63}}, {create_target_action(make_tir(make_rq()))});
  ClassifyingEngine engine(steering_, packets);
  device_.engine = &engine;
  for (int round = 0; round < 40; ++round) {
    Rq& rq = make_rq();
    Tir& tir = make_tir(rq);
    Table* table = create_table(*receive_, 1);
    Action* to_tir = create_target_action(tir);
    Action* jump = create_table_action(*table);
    Matcher* inner = any_matcher(*table);
    RuleHandle* end = rule(inner, {}, {to_tir});
    std::vector<RuleHandle*> rules;
    for (std::uint32_t port = 0; port < 40; ++port) {
      rules.push_back(rule(matcher, {{kUdpPort, port}}, {jump}));
    }
    for (RuleHandle* handle : rules) destroy(handle);
    destroy(end);
    destroy(inner);
    destroy(jump);
    destroy(table);
    destroy(to_tir);
  }
  EXPECT_GT(engine.delivered(), 0U);
  device_.engine = nullptr;
}

}  // namespace
}  // namespace softcx
