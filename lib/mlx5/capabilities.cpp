// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/capabilities.hpp"

#include <infiniband/mlx5dv.h>

#include "lib/base/error.hpp"
#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/prm_lag.hpp"
#include "lib/mlx5/format/wqe.hpp"
#include "lib/mlx5/nic_time.hpp"

namespace ringside::mlx5 {

namespace {

using CapabilityAnswer = prm::Mailbox<prm::query_hca_cap_out::kSize>;

CapabilityAnswer query_group(const Context& context, prm::CapabilityGroup group) {
  auto in = command<prm::query_hca_cap_in::kSize>(prm::Opcode::kQueryHcaCap);
  in.set(prm::command_in::op_mod, static_cast<std::uint32_t>(group) << 1 | prm::kCapabilityCurrent);
  CapabilityAnswer out;
  context.execute(fmt::format("device at {}", context.pci_address()), in, out);
  return out;
}

/// Named, and not the device's default, of which it would not say what it is. Real time where the
/// device keeps it: that is what whoever set it up wants to see.
prm::TimestampFormat format_for(std::uint32_t capability, bool real_time) {
  switch (static_cast<prm::TimestampCapability>(capability)) {
    case prm::TimestampCapability::kRealTime:
      return prm::TimestampFormat::kRealTime;
    case prm::TimestampCapability::kBoth:
      if (real_time) return prm::TimestampFormat::kRealTime;
      break;
    case prm::TimestampCapability::kFreeRunning:
      break;
  }
  return prm::TimestampFormat::kFreeRunning;
}

prm::InlineMode vport_inline(const Context& context) {
  auto in = command<prm::query_nic_vport_context_in::kSize>(prm::Opcode::kQueryNicVportContext);
  prm::Mailbox<prm::query_nic_vport_context_out::kSize> out;
  context.execute(fmt::format("device at {}", context.pci_address()), in, out);
  return static_cast<prm::InlineMode>(out.get(prm::query_nic_vport_context_out::nic_vport_context /
                                              prm::nic_vport_context::min_wqe_inline_mode));
}

prm::InlineMode inline_mode(const Context& context, std::uint32_t capability) {
  switch (static_cast<prm::InlineCapability>(capability)) {
    case prm::InlineCapability::kNotRequired:
      return prm::InlineMode::kNone;
    case prm::InlineCapability::kVportContext:
      return vport_inline(context);
    case prm::InlineCapability::kL2:
      break;
  }
  return prm::InlineMode::kL2;
}

std::optional<StrideLimits> stride_limits(const Context& context, const CapabilityAnswer& general) {
  namespace hca = prm::cmd_hca_cap;
  constexpr prm::Context kCapability = prm::query_hca_cap_out::capability;
  // The number of strides that there can be at most is told by verbs only.
  mlx5dv_context verbs{};
  verbs.comp_mask = MLX5DV_CONTEXT_MASK_STRIDING_RQ;
  const bool told = mlx5dv_query_device(context.get(), &verbs) == 0 &&
                    (verbs.comp_mask & MLX5DV_CONTEXT_MASK_STRIDING_RQ) != 0;
  if (!told || general.get(kCapability / hca::striding_rq) == 0) return std::nullopt;
  constexpr std::uint32_t kLeastOfOldDevices = 14;  // which do not tell (DPDK's mlx5_prm.h)
  const std::uint32_t least =
      general.get(kCapability / hca::hca_cap_2) == 0
          ? 0
          : query_group(context, prm::CapabilityGroup::kGeneral2)
                .get(kCapability / prm::cmd_hca_cap_2::log_min_stride_wqe_sz);
  const mlx5dv_striding_rq_caps& caps = verbs.striding_rq_caps;
  return StrideLimits{
      caps.min_single_stride_log_num_of_bytes, caps.max_single_stride_log_num_of_bytes,
      caps.min_single_wqe_log_num_of_strides, caps.max_single_wqe_log_num_of_strides,
      least != 0 ? least : kLeastOfOldDevices};
}

bool query_completion_follows_data(const Context& context) {
  try {
    return query_group(context, prm::CapabilityGroup::kSoftware)
               .get(prm::query_hca_cap_out::capability /
                    prm::software_caps::completion_follows_data) != 0;
  } catch (const Error&) {
    return false;  // a NIC in hardware does not know the group
  }
}

bool is_bonded(const Context& context) {
  const auto in = command<prm::command_in::kSize>(prm::Opcode::kQueryLag);
  prm::Mailbox<prm::query_lag_out::kSize> out;
  context.execute(fmt::format("device at {}", context.pci_address()), in, out);
  return out.get(prm::query_lag_out::context / prm::lag_context::lag_state) != 0;
}

}  // namespace

Capabilities Capabilities::query(const Context& context) {
  namespace hca = prm::cmd_hca_cap;
  constexpr prm::Context kCapability = prm::query_hca_cap_out::capability;
  const CapabilityAnswer general = query_group(context, prm::CapabilityGroup::kGeneral);
  const CapabilityAnswer ethernet = query_group(context, prm::CapabilityGroup::kEthernetOffloads);
  const auto power = [&](prm::Field log) { return 1U << general.get(kCapability / log); };
  const bool real_time =
      general.get(kCapability / hca::access_register_user) != 0 && keeps_real_time(context);
  return Capabilities{
      .max_ring_entries = power(hca::log_max_wq_sz),
      .max_completion_entries = power(hca::log_max_cq_sz),
      .max_send_queues = power(hca::log_max_sq),
      .max_receive_queues = power(hca::log_max_rq),
      .send_timestamps = format_for(general.get(kCapability / hca::sq_ts_format), real_time),
      .receive_timestamps = format_for(general.get(kCapability / hca::rq_ts_format), real_time),
      .strides = stride_limits(context, general),
      .min_inline =
          inline_mode(context, ethernet.get(kCapability / prm::ethernet_caps::wqe_inline_mode)),
      .multi_packet_sends =
          ethernet.get(kCapability / prm::ethernet_caps::enhanced_multi_pkt_send_wqe) != 0,
      .vlan_insertion = ethernet.get(kCapability / prm::ethernet_caps::wqe_vlan_insert) != 0,
      // Room for a WQE of one basic block in each of the two buffers.
      .blue_flame = general.get(kCapability / hca::bf) != 0 &&
                    power(hca::log_bf_reg_size) >= 2 * kBlueFlameBufferBytes,
      .wait_on_time = general.get(kCapability / hca::wait_on_time) != 0,
      .clock_khz = general.get(kCapability / hca::device_frequency_khz),
      .completion_follows_data = query_completion_follows_data(context),
      // A device that cannot bond does not know the command.
      .bonded = general.get(kCapability / hca::lag_master) != 0 && is_bonded(context),
  };
}

}  // namespace ringside::mlx5
