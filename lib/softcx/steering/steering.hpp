// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Steering of one port: the objects behind the mlx5dv_dr_* calls, and the classifier of its data
// path. Semantics and errno values are those of rdma-core's software steering; what a comment says
// beyond that is stricter than it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/steering/classify.hpp"
#include "lib/softcx/steering/flow_cache.hpp"
#include "lib/softcx/steering/parse.hpp"
#include "lib/softcx/steering/tables.hpp"
#include "lib/softcx/steering/target.hpp"

namespace softcx {

/// Control path: under Device::control(), never on the engine thread; each call that unlinks
/// something waits for the engine. Calls throw Refusal and then have changed nothing. Handles are
/// freed by destroy() only, which refuses with EBUSY while something uses them.
class Steering final : public Classifier {
 public:
  explicit Steering(Device& device);
  ~Steering() override;

  Device& device() noexcept { return device_; }

  SteeringDomain* create_domain(DomainType type);
  void destroy(SteeringDomain* domain);

  /// Transmit domains have the root, level 0, only: EOPNOTSUPP. Receive levels are not bounded by
  /// max_ft_level, which is the firmware's: software steering keeps all its tables at one of those.
  Table* create_table(SteeringDomain& domain, std::uint32_t level);
  void destroy(Table* table);

  Matcher* create_matcher(Table& table, std::uint16_t priority, unsigned criteria,
                          std::span<const std::uint8_t> mask);
  void destroy(Matcher* matcher);

  /// A jump must lead to a higher level, so that no packet can go in circles. A counter's offset
  /// must lie within its bulk. Transmit domains take no rules: EOPNOTSUPP.
  RuleHandle* create_rule(Matcher& matcher, std::span<const std::uint8_t> value,
                          std::span<Action* const> actions);
  void destroy(RuleHandle* rule);

  Action* create_target_action(std::uint32_t tirn);
  Action* create_table_action(Table& table);
  Action* create_counter_action(std::uint32_t bulk_id, std::uint32_t offset);
  /// Drop, default miss, or a tag of 24 bits. Belongs to no device, needs no lock.
  static Action* create_plain_action(Action::Kind kind, std::uint32_t flow_tag = 0);
  static void destroy(Action* action);

  Verdict classify(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                   HeaderFacts& facts) override;
  /// Not before the rules have been left alone for kSettleNs: drivers make their rules in a row,
  /// and the packets that a replay lost in between would be missed.
  bool reaches_ready_queue() const override;

  static constexpr std::uint64_t kSettleNs = 50'000'000;

 private:
  using Targets = std::vector<const Target*>;

  std::shared_ptr<const ToeplitzTable> toeplitz_of(const Tir& tir);
  const Target& target_of(const Tir& tir);
  /// Counts a rule in or out of what it uses and of what its list leads to.
  void account(RuleHandle& handle, bool linked);
  /// Publishes the targets that rules lead to from the root on; returns the list before.
  std::unique_ptr<const Targets> publish_reachable();

  /// Engine thread: finds what the rules say of packet_. Returns what it depended on; what does not
  /// hold for other packets depended on more than plain words.
  LookedAt walk(FlowVerdict& verdict, std::uint32_t frame_length) noexcept;
  /// Parses a packet and finds what the rules say of it, and keeps that for those like it.
  const FlowVerdict& find_out(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                              bool is_plain, std::uint64_t generation) noexcept;

  Device& device_;
  MatcherList root_;
  std::map<const Tir*, std::unique_ptr<const Target>> targets_;  ///< one for all rules of a TIR
  std::map<ToeplitzTable::Key, std::weak_ptr<const ToeplitzTable>> toeplitz_tables_;
  /// Store-release by the control path, load-acquire in reaches_ready_queue().
  std::atomic<const Targets*> reachable_{nullptr};

  std::atomic<std::uint64_t> changed_ns_{0};  ///< when a rule last came or went

  /// Number of this state of the rules. It moves after a rule has been linked or unlinked, and
  /// before whoever asked for that is told, or frees anything.
  std::atomic<std::uint64_t> generation_{1};

  // Engine thread only.
  ParsedPacket packet_;
  FlowVerdict walked_;
  FlowCache flows_;
  /// Rules of a generation that do not look at plain packets say this of all of them.
  FlowVerdict all_;
  std::uint64_t generation_of_all_ = 0;
};

}  // namespace softcx
