// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port with receive queues and TIRs, without command engine and data path.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <initializer_list>
#include <vector>

#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/softcx/steering/refusal.hpp"
#include "lib/softcx/steering/steering.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace softcx {

namespace match = ringside::prm::fte_match_param;
namespace layer = ringside::prm::fte_match_set_lyr_2_4;
namespace misc = ringside::prm::fte_match_set_misc;

/// A mask or a value, 0x140 bytes as the PMD passes them.
class Pattern {
 public:
  Pattern() = default;
  struct Setting {
    ringside::prm::Field field;
    std::uint32_t value;
  };
  Pattern(std::initializer_list<Setting> settings) {
    for (const Setting& s : settings) ringside::prm::set(bytes_.data(), s.field, s.value);
  }
  operator std::span<const std::uint8_t>() const { return bytes_; }

 private:
  std::array<std::uint8_t, 0x140> bytes_{};
};

inline constexpr ringside::prm::Field kEthertype = match::outer_headers / layer::ethertype;
inline constexpr ringside::prm::Field kIpVersion = match::outer_headers / layer::ip_version;
inline constexpr ringside::prm::Field kUdpPort = match::outer_headers / layer::udp_dport;

class SteeringTest : public ::testing::Test {
 protected:
  Rq& make_rq(QueueState state = QueueState::kReady) {
    Rq& rq = rqs_.emplace_back();
    rq.state = state;
    rq.record = &records_.emplace_back();
    rq.record->receive_counter = ringside::Be32::of(1);  // one buffer
    return rq;
  }

  Tir& make_tir() {
    const std::uint32_t tirn = device_.allocate_id();
    Tir& tir = *(device_.tirs[tirn] = std::make_unique<Tir>());
    tir.tirn = tirn;
    return tir;
  }
  Tir& make_tir(Rq& rq) {
    Tir& tir = make_tir();
    tir.rq = &rq;
    return tir;
  }

  FlowCounterBulk& make_bulk(std::uint32_t count) {
    const std::uint32_t id = device_.allocate_counter_ids(count);
    FlowCounterBulk& bulk = *(device_.flow_counters[id] = std::make_unique<FlowCounterBulk>());
    bulk.id = id;
    bulk.count = count;
    bulk.counters = std::make_unique<FlowCounter[]>(count);
    return bulk;
  }

  // The calls of Steering. What a test does not destroy itself is destroyed after it, newest first.
  SteeringDomain* create_domain(DomainType type) { return keep(steering_.create_domain(type)); }
  Table* create_table(SteeringDomain& domain, std::uint32_t level) {
    return keep(steering_.create_table(domain, level));
  }
  Matcher* create_matcher(Table& table, std::uint16_t priority, unsigned criteria,
                          std::span<const std::uint8_t> mask) {
    return keep(steering_.create_matcher(table, priority, criteria, mask));
  }
  RuleHandle* create_rule(Matcher& matcher, std::span<const std::uint8_t> value,
                          std::span<Action* const> actions) {
    return keep(steering_.create_rule(matcher, value, actions));
  }
  Action* create_target_action(const Tir& tir) {
    return keep(steering_.create_target_action(tir.tirn));
  }
  Action* create_table_action(Table& table) { return keep(steering_.create_table_action(table)); }
  Action* create_counter_action(const FlowCounterBulk& bulk, std::uint32_t offset) {
    return keep(steering_.create_counter_action(bulk.id, offset));
  }
  Action* create_plain_action(Action::Kind kind, std::uint32_t tag = 0) {
    return keep(Steering::create_plain_action(kind, tag));
  }
  template <class Handle>
  void destroy(Handle* handle) {
    steering_.destroy(handle);
    std::erase_if(kept_, [handle](const Kept& kept) { return kept.handle == handle; });
  }

  void TearDown() override {
    while (!kept_.empty()) {
      kept_.back().destroy();
      kept_.pop_back();
    }
  }

  Matcher* udp_port_matcher(Table& table, std::uint16_t priority = 0) {
    return create_matcher(table, priority, kCriteriaOuter, Pattern{{kUdpPort, 0xffff}});
  }
  Matcher* any_matcher(Table& table, std::uint16_t priority = 0) {
    return create_matcher(table, priority, 0, {});
  }
  RuleHandle* rule(Matcher* matcher, const Pattern& value, std::vector<Action*> actions) {
    return create_rule(*matcher, value, actions);
  }

  Verdict classify(const frames::Bytes& frame) {
    return steering_.classify(frame, static_cast<std::uint32_t>(frame.size()), facts_);
  }

  /// By which rule `call` is refused and with which errno, kAccepted when it is not.
  using RefusedBy = std::pair<RuleId, int>;
  static constexpr RefusedBy kAccepted{RuleId::kNone, 0};
  template <class Call>
  static RefusedBy refused(Call&& call) {
    try {
      call();
      return kAccepted;
    } catch (const Refusal& refusal) {
      return {refusal.rule.rule, refusal.rule.error_number};
    }
  }

  struct Kept {
    void* handle;
    std::function<void()> destroy;
  };
  template <class Handle>
  Handle* keep(Handle* handle) {
    kept_.push_back({handle, [this, handle] { steering_.destroy(handle); }});
    return handle;
  }

  std::deque<Rq> rqs_;
  std::deque<ringside::DoorbellRecord> records_;
  Device device_{0, "0000:ca:00.0", "mlx5_0", "uverbs0", "cx0"};
  Steering steering_{device_};
  std::vector<Kept> kept_;
  SteeringDomain* receive_ = create_domain(DomainType::kNicReceive);
  Table* root_ = create_table(*receive_, 0);
  Action* drop_ = create_plain_action(Action::Kind::kDrop);
  HeaderFacts facts_;
};

}  // namespace softcx
