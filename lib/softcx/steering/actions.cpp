// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Steering actions and the TIRs that they name.
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

Action* Steering::create_target_action(Tir& tir) {
  auto action = std::make_unique<Action>(Action::Kind::kTarget);
  std::unique_ptr<Target>& target = targets_[&tir];
  if (target == nullptr) target = std::make_unique<Target>(tir, toeplitz_of(tir));
  action->steering = this;
  action->target = target.get();
  ++target->references;
  ++tir.references;
  return action.release();
}

Action* Steering::create_table_action(Table& table) {
  if (table.is_root()) throw Refusal(EINVAL, "jump to a root table");
  auto* action = new Action(Action::Kind::kTable);
  action->steering = this;
  action->table = &table;
  ++table.references;
  return action;
}

Action* Steering::create_counter_action(FlowCounterBulk& bulk, std::uint32_t offset) {
  auto* action = new Action(Action::Kind::kCounter);
  action->steering = this;
  action->bulk = &bulk;
  action->counter_offset = offset;
  ++bulk.references;
  return action;
}

Action* Steering::create_plain_action(Action::Kind kind, std::uint32_t flow_tag) {
  auto* action = new Action(kind);
  action->flow_tag = flow_tag;
  return action;
}

void Steering::destroy(Action* action) {
  if (const auto rules = action->references.load(std::memory_order_relaxed); rules != 0) {
    throw Refusal(EBUSY, fmt::format("action has {} rules", rules));
  }
  if (action->table != nullptr) --action->table->references;
  if (action->bulk != nullptr) --action->bulk->references;
  if (action->target != nullptr) action->steering->release(*action->target);
  delete action;
}

void Steering::release(Target& target) {
  Tir& tir = target.tir;
  --tir.references;
  if (--target.references != 0) return;
  // The last rule that led here is gone, and the engine was waited for then.
  targets_.erase(&tir);
}

}  // namespace softcx
