// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// mlx5dv_dr_*: domains, tables, matchers and rules.
#include "lib/softcx/abi/dr_handles.hpp"

using namespace softcx;

namespace {

std::span<const std::uint8_t> bytes_of(const mlx5dv_flow_match_parameters* parameters) {
  if (parameters == nullptr) return {};
  return {reinterpret_cast<const std::uint8_t*>(parameters->match_buf), parameters->match_sz};
}

DomainType type_of(mlx5dv_dr_domain_type type) {
  switch (type) {
    case MLX5DV_DR_DOMAIN_TYPE_NIC_RX:
      return DomainType::kNicReceive;
    case MLX5DV_DR_DOMAIN_TYPE_NIC_TX:
      return DomainType::kNicTransmit;
    case MLX5DV_DR_DOMAIN_TYPE_FDB:
      throw Refusal(RuleId::kSteeringFdb, "no FDB domain: the port is no E-Switch manager");
  }
  throw Refusal(RuleId::kSteeringDomainType,
                fmt::format("domain of type {}", static_cast<int>(type)));
}

}  // namespace

mlx5dv_dr_domain* mlx5dv_dr_domain_create(ibv_context* context, mlx5dv_dr_domain_type type) {
  return made_in<mlx5dv_dr_domain>(
      file_of(context), [&](Steering& steering) { return steering.create_domain(type_of(type)); });
}

int mlx5dv_dr_domain_destroy(mlx5dv_dr_domain* domain) {
  return destroyed(of(domain));
}

int mlx5dv_dr_domain_sync(mlx5dv_dr_domain*, std::uint32_t flags) {
  constexpr std::uint32_t kKnown = MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW | MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW |
                                   MLX5DV_DR_DOMAIN_SYNC_FLAGS_MEM;
  if ((flags & ~kKnown) == 0) return 0;  // every change is in force when its call returns
  errno = EOPNOTSUPP;
  return EOPNOTSUPP;
}

/// There is no device memory to give back.
void mlx5dv_dr_domain_set_reclaim_device_memory(mlx5dv_dr_domain*, bool) {}

void mlx5dv_dr_domain_allow_duplicate_rules(mlx5dv_dr_domain* domain, bool allow) {
  const ControlLock lock(of(domain).file->device().control());
  of(domain).object->allow_duplicate_rules = allow;
}

mlx5dv_dr_table* mlx5dv_dr_table_create(mlx5dv_dr_domain* domain, std::uint32_t level) {
  return made_in<mlx5dv_dr_table>(*of(domain).file, [&](Steering& steering) {
    return steering.create_table(*of(domain).object, level);
  });
}

int mlx5dv_dr_table_destroy(mlx5dv_dr_table* table) {
  return destroyed(of(table));
}

mlx5dv_dr_matcher* mlx5dv_dr_matcher_create(mlx5dv_dr_table* table, std::uint16_t priority,
                                            std::uint8_t match_criteria_enable,
                                            mlx5dv_flow_match_parameters* mask) {
  return made_in<mlx5dv_dr_matcher>(*of(table).file, [&](Steering& steering) {
    return steering.create_matcher(*of(table).object, priority, match_criteria_enable,
                                   bytes_of(mask));
  });
}

int mlx5dv_dr_matcher_destroy(mlx5dv_dr_matcher* matcher) {
  return destroyed(of(matcher));
}

/// Hints of how many rules will come: hash tables grow by themselves.
int mlx5dv_dr_matcher_set_layout(mlx5dv_dr_matcher* matcher, mlx5dv_dr_matcher_layout* layout) {
  constexpr std::uint32_t kKnown =
      MLX5DV_DR_MATCHER_LAYOUT_RESIZABLE | MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE;
  if (!of(matcher).object->table.is_root() && (layout->flags & ~kKnown) == 0) return 0;
  errno = ENOTSUP;
  return ENOTSUP;
}

mlx5dv_dr_rule* mlx5dv_dr_rule_create(mlx5dv_dr_matcher* matcher,
                                      mlx5dv_flow_match_parameters* value, std::size_t num_actions,
                                      mlx5dv_dr_action* actions[]) {
  return made_in<mlx5dv_dr_rule>(*of(matcher).file, [&](Steering& steering) {
    std::vector<Action*> list;
    for (std::size_t i = 0; i < num_actions; ++i) list.push_back(of(actions[i]).object);
    return steering.create_rule(*of(matcher).object, bytes_of(value), list);
  });
}

int mlx5dv_dr_rule_destroy(mlx5dv_dr_rule* rule) {
  return destroyed(of(rule));
}
