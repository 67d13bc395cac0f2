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
  if (object.kind != kind) throw Refusal(EINVAL, fmt::format("the DevX object is no {}", what));
}

}  // namespace

mlx5dv_dr_action* mlx5dv_dr_action_create_drop(void) {
  return made<mlx5dv_dr_action>([] { return Steering::create_plain_action(Action::Kind::kDrop); });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_default_miss(void) {
  return made<mlx5dv_dr_action>([] { return Steering::create_plain_action(Action::Kind::kMiss); });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_tag(std::uint32_t tag_value) {
  return made<mlx5dv_dr_action>([&] {
    const std::uint32_t tag = tag_value & ((1U << kFlowTagBits) - 1);
    if (tag != tag_value) {
      report_violation(
          fmt::format("flow tag {:#x} has more than 24 bits: packets carry {:#x}", tag_value, tag));
    }
    return Steering::create_plain_action(Action::Kind::kTag, tag);
  });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_table(mlx5dv_dr_table* table) {
  return made<mlx5dv_dr_action>([&] {
    Steering& steering = of(table)->domain.steering;
    const ControlLock lock(steering.device().control());
    return steering.create_table_action(*of(table));
  });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_dest_devx_tir(mlx5dv_devx_obj* object) {
  return made<mlx5dv_dr_action>([&] {
    require_kind(*object, ObjectKind::kTir, "TIR");
    Device& device = *object->device;
    const ControlLock lock(device.control());
    return steering_of(device).create_target_action(object->id);
  });
}

mlx5dv_dr_action* mlx5dv_dr_action_create_flow_counter(mlx5dv_devx_obj* object,
                                                       std::uint32_t offset) {
  return made<mlx5dv_dr_action>([&] {
    require_kind(*object, ObjectKind::kFlowCounter, "flow counter");
    Device& device = *object->device;
    const ControlLock lock(device.control());
    return steering_of(device).create_counter_action(object->id, offset);
  });
}

int mlx5dv_dr_action_destroy(mlx5dv_dr_action* action) {
  return freed([&] {
    Steering* steering = of(action)->steering;
    if (steering == nullptr) return Steering::destroy(of(action));
    const ControlLock lock(steering->device().control());
    Steering::destroy(of(action));
  });
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
