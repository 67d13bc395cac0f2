// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Steering actions, and the TIRs that rules lead to.
#include <cerrno>

#include "lib/softcx/steering/refusal.hpp"
#include "lib/softcx/steering/steering.hpp"

namespace softcx {

std::shared_ptr<const ToeplitzTable> Steering::toeplitz_of(const Tir& tir) {
  if (!tir.indirect || !tir.toeplitz || tir.hash_fields == 0) return nullptr;
  // A driver gives all its TIRs one key: they share the table of it.
  std::weak_ptr<const ToeplitzTable>& shared = toeplitz_tables_[tir.hash_key];
  std::shared_ptr<const ToeplitzTable> table = shared.lock();
  if (table == nullptr) {
    table = std::make_shared<const ToeplitzTable>(tir.hash_key);
    shared = table;
  }
  return table;
}

const Target& Steering::target_of(const Tir& tir) {
  std::unique_ptr<const Target>& target = targets_[&tir];
  if (target == nullptr) target = std::make_unique<const Target>(tir, toeplitz_of(tir));
  return *target;
}

Action* Steering::create_target_action(std::uint32_t tirn) {
  auto* action = new Action(Action::Kind::kTarget);
  action->steering = this;
  action->object_id = tirn;
  return action;
}

Action* Steering::create_table_action(Table& table) {
  if (table.is_root()) throw Refusal(RuleId::kJumpToRoot, "jump to a root table");
  auto* action = new Action(Action::Kind::kTable);
  action->steering = this;
  action->table = &table;
  ++table.references;
  return action;
}

Action* Steering::create_counter_action(std::uint32_t bulk_id, std::uint32_t offset) {
  auto* action = new Action(Action::Kind::kCounter);
  action->steering = this;
  action->object_id = bulk_id;
  action->counter_offset = offset;
  return action;
}

Action* Steering::create_plain_action(Action::Kind kind, std::uint32_t flow_tag) {
  auto* action = new Action(kind);
  action->flow_tag = flow_tag;
  return action;
}

void Steering::destroy(Action* action) {
  if (const auto rules = action->references.load(std::memory_order_relaxed); rules != 0) {
    throw Refusal(RuleId::kSteeringStillUsed, fmt::format("action has {} rules", rules));
  }
  if (action->table != nullptr) --action->table->references;
  delete action;
}

}  // namespace softcx
