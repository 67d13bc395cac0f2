// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the device does not have: queues made by verbs (DevX makes them), the older flow API
// (mlx5dv_dr_* makes rules), packet pacing, virtio.
#include "lib/softcx/abi/unsupported.hpp"

#include "lib/softcx/abi/handles.hpp"

using namespace softcx;

int softcx::unsupported(const char* function) {
  if (log_enabled()) print_once(fmt::format("{} is not supported", function));
  errno = EOPNOTSUPP;
  return EOPNOTSUPP;
}

namespace {

std::nullptr_t none(const char* function) {
  unsupported(function);
  return nullptr;
}

}  // namespace

// Queues by verbs

ibv_cq* ibv_create_cq(ibv_context*, int, void*, ibv_comp_channel*, int) {
  return none(__func__);
}
int ibv_destroy_cq(ibv_cq*) {
  return unsupported(__func__);
}
ibv_qp* ibv_create_qp(ibv_pd*, ibv_qp_init_attr*) {
  return none(__func__);
}
int ibv_modify_qp(ibv_qp*, ibv_qp_attr*, int) {
  return unsupported(__func__);
}
int ibv_destroy_qp(ibv_qp*) {
  return unsupported(__func__);
}

ibv_cq_ex* mlx5dv_create_cq(ibv_context*, ibv_cq_init_attr_ex*, mlx5dv_cq_init_attr*) {
  return none(__func__);
}
ibv_qp* mlx5dv_create_qp(ibv_context*, ibv_qp_init_attr_ex*, mlx5dv_qp_init_attr*) {
  return none(__func__);
}
ibv_wq* mlx5dv_create_wq(ibv_context*, ibv_wq_init_attr*, mlx5dv_wq_init_attr*) {
  return none(__func__);
}
int mlx5dv_devx_qp_query(ibv_qp*, const void*, std::size_t, void*, std::size_t) {
  return unsupported(__func__);
}
int mlx5dv_devx_wq_query(ibv_wq*, const void*, std::size_t, void*, std::size_t) {
  return unsupported(__func__);
}

// The flow API before mlx5dv_dr_*

mlx5dv_flow_matcher* mlx5dv_create_flow_matcher(ibv_context*, mlx5dv_flow_matcher_attr*) {
  return none(__func__);
}
int mlx5dv_destroy_flow_matcher(mlx5dv_flow_matcher*) {
  return unsupported(__func__);
}
ibv_flow* mlx5dv_create_flow(mlx5dv_flow_matcher*, mlx5dv_flow_match_parameters*, std::size_t,
                             mlx5dv_flow_action_attr[]) {
  return none(__func__);
}
ibv_flow_action* mlx5dv_create_flow_action_modify_header(ibv_context*, std::size_t, std::uint64_t[],
                                                         mlx5dv_flow_table_type) {
  return none(__func__);
}
ibv_flow_action* mlx5dv_create_flow_action_packet_reformat(ibv_context*, std::size_t, void*,
                                                           mlx5dv_flow_action_packet_reformat_type,
                                                           mlx5dv_flow_table_type) {
  return none(__func__);
}

// Packet pacing and virtio

mlx5dv_pp* mlx5dv_pp_alloc(ibv_context*, std::size_t, const void*, std::uint32_t) {
  return none(__func__);
}
void mlx5dv_pp_free(mlx5dv_pp*) {
  unsupported(__func__);
}
mlx5dv_var* mlx5dv_alloc_var(ibv_context*, std::uint32_t) {
  return none(__func__);
}
void mlx5dv_free_var(mlx5dv_var*) {
  unsupported(__func__);
}
