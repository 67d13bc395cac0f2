// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// mlx5dv_dr_action_*: what rules do. Actions that the NIC model does not have are refused with
// EOPNOTSUPP, which drivers take for firmware without the feature.
#include "lib/softcx/abi/dr_handles.hpp"

using namespace softcx;

namespace {

constexpr std::uint32_t kFlowTagBits = 24;

[[nodiscard]] int not_supported(const char* call) noexcept {
  log_line("steering: {} is not supported", call);
  errno = EOPNOTSUPP;
  return EOPNOTSUPP;
}

mlx5dv_dr_action* no_action(const char* call) noexcept {
  (void)not_supported(call);
  return nullptr;
}

void require_kind(const mlx5dv_devx_obj& object, ObjectKind kind, const char* what) {
  if (object.kind != kind)
    throw Refusal(RuleId::kFlowObjectUnknown, fmt::format("the DevX object is no {}", what));
}

mlx5dv_dr_action* plain_action(Action::Kind kind, std::uint32_t flow_tag = 0) {
  return made<mlx5dv_dr_action>(
      [&] { return new ActionHandle(nullptr, Steering::create_plain_action(kind, flow_tag)); });
}

}  // namespace

mlx5dv_dr_action* mlx5dv_dr_action_create_drop(void) {
  return plain_action(Action::Kind::kDrop);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_default_miss(void) {
  return plain_action(Action::Kind::kMiss);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_tag(std::uint32_t tag_value) {
  const std::uint32_t tag = tag_value & ((1U << kFlowTagBits) - 1);
  if (tag != tag_value) {
    guarded<int>(ENOMEM, [&] {
      // The call names no device: its action serves all.
      report_broken(RuleId::kFlowTagBits, fmt::format("any device: flow tag {:#x}", tag_value),
                    fmt::format("more than 24 bits: packets carry {:#x}", tag));
      return 0;
    });
  }
  return plain_action(Action::Kind::kTag, tag);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_table(mlx5dv_dr_table* table) {
  return made_in<mlx5dv_dr_action>(*of(table).file, [&](Steering& steering) {
    return steering.create_table_action(*of(table).object);
  });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_devx_tir(mlx5dv_devx_obj* object) {
  return made_in<mlx5dv_dr_action>(*object->file, [&](Steering& steering) {
    require_kind(*object, ObjectKind::kTir, "TIR");
    return steering.create_target_action(object->id);
  });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_flow_counter(mlx5dv_devx_obj* object,
                                                       std::uint32_t offset) {
  return made_in<mlx5dv_dr_action>(*object->file, [&](Steering& steering) {
    require_kind(*object, ObjectKind::kFlowCounter, "flow counter");
    return steering.create_counter_action(object->id, offset);
  });
}

int mlx5dv_dr_action_destroy(mlx5dv_dr_action* action) {
  return destroyed(of(action));
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_ibv_qp(ibv_qp*) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_vport(mlx5dv_dr_domain*, std::uint32_t) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_ib_port(mlx5dv_dr_domain*, std::uint32_t) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_array(mlx5dv_dr_domain*, std::size_t,
                                                     mlx5dv_dr_action_dest_attr*[]) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_root_table(mlx5dv_dr_table*, std::uint16_t) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_aso(mlx5dv_dr_domain*, mlx5dv_devx_obj*, std::uint32_t,
                                              std::uint32_t, std::uint8_t) {
  return no_action(__func__);
}

int mlx5dv_dr_action_modify_aso(mlx5dv_dr_action*, std::uint32_t, std::uint32_t, std::uint8_t) {
  return not_supported(__func__);
}

int mlx5dv_dr_aso_other_domain_link(mlx5dv_devx_obj*, mlx5dv_dr_domain*, mlx5dv_dr_domain*,
                                    std::uint32_t, std::uint8_t) {
  return not_supported(__func__);
}

int mlx5dv_dr_aso_other_domain_unlink(mlx5dv_devx_obj*, mlx5dv_dr_domain*) {
  return not_supported(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_packet_reformat(mlx5dv_dr_domain*, std::uint32_t,
                                                          mlx5dv_flow_action_packet_reformat_type,
                                                          std::size_t, void*) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_modify_header(mlx5dv_dr_domain*, std::uint32_t,
                                                        std::size_t, __be64[]) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_flow_meter(mlx5dv_dr_flow_meter_attr*) {
  return no_action(__func__);
}

int mlx5dv_dr_action_modify_flow_meter(mlx5dv_dr_action*, mlx5dv_dr_flow_meter_attr*, __be64) {
  return not_supported(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_flow_sampler(mlx5dv_dr_flow_sampler_attr*) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_pop_vlan(void) {
  return no_action(__func__);
}

mlx5dv_dr_action* mlx5dv_dr_action_create_push_vlan(mlx5dv_dr_domain*, __be32) {
  return no_action(__func__);
}

int mlx5dv_dump_dr_domain(FILE*, mlx5dv_dr_domain*) {
  return not_supported(__func__);
}
int mlx5dv_dump_dr_table(FILE*, mlx5dv_dr_table*) {
  return not_supported(__func__);
}
int mlx5dv_dump_dr_matcher(FILE*, mlx5dv_dr_matcher*) {
  return not_supported(__func__);
}
int mlx5dv_dump_dr_rule(FILE*, mlx5dv_dr_rule*) {
  return not_supported(__func__);
}
