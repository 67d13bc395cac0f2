// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a device says of itself through verbs. The PMD reads most from QUERY_HCA_CAP; these agree.
#include <algorithm>
#include <cstring>
#include <fstream>

#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/abi/verbs_ops.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/nic/nic_clock.hpp"

using namespace softcx;

namespace {

constexpr char kFirmwareVersion[] = "28.99.1000";
constexpr std::uint32_t kVendor = 0x02c9;
constexpr std::uint32_t kConnectX7 = 0x1021;
constexpr std::uint32_t kVirtualFunction = 0x101e;

ibv_device_attr attributes_of(const Device& device) {
  ibv_device_attr attr{};
  std::copy(std::begin(kFirmwareVersion), std::end(kFirmwareVersion), attr.fw_ver);
  attr.node_guid = attr.sys_image_guid = ringside::byte_swap(std::uint64_t{device.guid()});
  attr.max_mr_size = std::uint64_t{1} << 40;
  attr.page_size_cap = ~std::uint64_t{0xfff};
  attr.vendor_id = kVendor;
  const bool is_vf = device.fault(FaultKind::kVfUntrusted) != nullptr;
  attr.vendor_part_id = is_vf ? kVirtualFunction : kConnectX7;
  attr.max_qp = 1 << kLogMaxObjects;
  attr.max_qp_wr = 1 << kLogMaxQueueDepth;
  attr.max_sge = 1 << (kLogMaxReceiveStride - kLogMinReceiveStride);
  attr.max_cq = 1 << kLogMaxObjects;
  attr.max_cqe = (1 << kLogMaxCqDepth) - 1;
  attr.max_mr = kMaxMkeys - kFirstMkey;
  attr.max_pd = 1 << kLogMaxObjects;
  attr.phys_port_cnt = 1;
  attr.device_cap_flags = IBV_DEVICE_RAW_IP_CSUM;
  return attr;
}

int query_device_ex(ibv_context* context, const ibv_query_device_ex_input* input,
                    ibv_device_attr_ex* attr, std::size_t attr_size) {
  if (input != nullptr && input->comp_mask != 0) return EINVAL;
  if (attr_size < offsetof(ibv_device_attr_ex, comp_mask)) return EINVAL;
  ibv_device_attr_ex answer{};
  answer.orig_attr = attributes_of(device_of(context));
  answer.rss_caps.supported_qpts = 1U << IBV_QPT_RAW_PACKET;
  answer.rss_caps.max_rwq_indirection_tables = 1U << kLogMaxObjects;
  answer.rss_caps.max_rwq_indirection_table_size = 1U << kLogMaxRqtSize;
  answer.rss_caps.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 |
                                        IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 |
                                        IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP |
                                        IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP;
  answer.rss_caps.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
  answer.max_wq_type_rq = 1U << kLogMaxObjects;
  answer.device_cap_flags_ex = IBV_DEVICE_RAW_IP_CSUM;
  answer.raw_packet_caps = IBV_RAW_PACKET_CAP_CVLAN_STRIPPING | IBV_RAW_PACKET_CAP_IP_CSUM;
  answer.hca_core_clock = device_of(context).clocks.khz;
  answer.completion_timestamp_mask = ~std::uint64_t{0};
  std::memcpy(attr, &answer, std::min(attr_size, sizeof answer));
  return 0;
}

/// The netdev's carrier is the port's; a netdev that is down says nothing of it.
bool has_carrier(const Device& device) {
  std::ifstream file("/sys/class/net/" + device.netdev + "/carrier");
  int carrier = 0;
  return static_cast<bool>(file >> carrier) && carrier == 1;
}

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr,
               std::size_t attr_size) {
  if (port != 1) return EINVAL;
  ibv_port_attr answer{};
  const bool up = has_carrier(device_of(context));
  answer.state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  answer.max_mtu = answer.active_mtu = IBV_MTU_4096;
  answer.link_layer = IBV_LINK_LAYER_ETHERNET;
  answer.phys_state = up ? 5 : 3;  // link up, or disabled
  answer.active_width = 2;         // 4 lanes
  answer.active_speed = 64;        // of 50 Gb/s
  std::memcpy(attr, &answer, std::min(attr_size, sizeof answer));
  return 0;
}

/// As the mlx5 provider: the device's free-running counter in tv_nsec alone.
int query_rt_values(ibv_context* context, ibv_values_ex* values) {
  if ((values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) == 0) return EINVAL;
  values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
  values->raw_clock.tv_sec = 0;
  values->raw_clock.tv_nsec =
      static_cast<long>(device_of(context).clocks.ticks(NicClock().now_ns()));
  return 0;
}

}  // namespace

void softcx::set_verbs_ops(verbs_context& verbs) {
  verbs.query_port = query_port;
  verbs.query_device_ex = query_device_ex;
  verbs.query_rt_values = query_rt_values;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attr) {
  *attr = attributes_of(device_of(context));
  return 0;
}

// The header's macro of this name is for callers; libraries of before its time call the symbol.
#undef ibv_query_port
int ibv_query_port(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* attr) {
  // All that a caller of the symbol counts on: what was there before link_layer was appended.
  return query_port(context, port, reinterpret_cast<ibv_port_attr*>(attr),
                    offsetof(ibv_port_attr, flags) + sizeof(ibv_port_attr::flags));
}

const char* ibv_port_state_str(ibv_port_state state) {
  switch (state) {
    case IBV_PORT_NOP:
      return "no state change (NOP)";
    case IBV_PORT_DOWN:
      return "down";
    case IBV_PORT_INIT:
      return "init";
    case IBV_PORT_ARMED:
      return "armed";
    case IBV_PORT_ACTIVE:
      return "active";
    case IBV_PORT_ACTIVE_DEFER:
      return "active defer";
  }
  return "unknown";
}

int mlx5dv_query_device(ibv_context* context, mlx5dv_context* attrs_out) {
  attrs_out->version = 0;
  attrs_out->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1;
  if (device_of(context).fault(FaultKind::kMinInline) == nullptr) {
    attrs_out->flags |= MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED | MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW;
  }
  // Of the other groups that may have been asked for, none has anything to tell.
  attrs_out->comp_mask &= MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS | MLX5DV_CONTEXT_MASK_STRIDING_RQ;
  if ((attrs_out->comp_mask & MLX5DV_CONTEXT_MASK_STRIDING_RQ) != 0) {
    attrs_out->striding_rq_caps = {.min_single_stride_log_num_of_bytes = kLogMinStrideBytes,
                                   .max_single_stride_log_num_of_bytes = kLogMaxStrideBytes,
                                   .min_single_wqe_log_num_of_strides = kLogMinStrides,
                                   .max_single_wqe_log_num_of_strides = kLogMaxStrides,
                                   .supported_qpts = 1U << IBV_QPT_RAW_PACKET};
  }
  if ((attrs_out->comp_mask & MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS) != 0) {
    attrs_out->tunnel_offloads_caps =
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN | MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE;
  }
  return 0;
}

int _mlx5dv_query_port(ibv_context*, std::uint32_t port_num, mlx5dv_port* info,
                       std::size_t info_len) {
  if (port_num != 1) return EINVAL;
  std::memset(info, 0, info_len);  // no vport metadata: the port is no E-Switch manager's
  return 0;
}

int mlx5dv_init_obj(mlx5dv_obj* object, std::uint64_t type) {
  // Queues and keys made by verbs have no ring to show; DevX objects need none.
  if (type != MLX5DV_OBJ_PD) return EOPNOTSUPP;
  object->pd.out->pdn = of(object->pd.in).pdn;
  object->pd.out->comp_mask = 0;
  return 0;
}

/// Allocators for rings that libmlx5 makes itself: there are none.
int mlx5dv_set_context_attr(ibv_context*, mlx5dv_set_ctx_attr_type, void*) {
  return 0;
}
