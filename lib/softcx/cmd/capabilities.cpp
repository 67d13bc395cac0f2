// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the device says that it can do: what its data path and steering do, and nothing else.
#include "lib/mlx5/format/prm_caps.hpp"

#include <bit>

#include "lib/mlx5/format/wqe.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"

namespace softcx {
namespace {

using prm::CapabilityGroup;

class Answer {
 public:
  explicit Answer(Command& command) : command_(command) {}
  void set(prm::Field field, std::uint32_t value) {
    command_.set(prm::query_hca_cap_out::capability / field, value);
  }
  void set(prm::Context context, prm::Field field, std::uint32_t value) {
    set(context / field, value);
  }

 private:
  Command& command_;
};

void general(Answer& out, const Device& device) {
  namespace cap = prm::cmd_hca_cap;
  out.set(cap::lag_master, lag_ports(device) != 0 ? 1 : 0);
  out.set(cap::num_lag_ports, lag_ports(device));
  out.set(cap::eth_virt, vport_inline_mode(device) != 0 ? 1 : 0);  // the vport has a say
  out.set(cap::port_type, 1);                                      // Ethernet
  out.set(cap::num_ports, 1);
  out.set(cap::vhca_id, 1);
  out.set(cap::hca_cap_2, 1);
  out.set(cap::eth_net_offloads, 1);
  out.set(cap::nic_flow_table, 1);
  out.set(cap::cqe_version, 1);
  out.set(cap::cq_oi, 1);

  out.set(cap::log_max_cq, kLogMaxObjects);
  out.set(cap::log_max_qp, kLogMaxObjects);
  out.set(cap::log_max_rq, kLogMaxObjects);
  out.set(cap::log_max_sq, kLogMaxObjects);
  out.set(cap::log_max_tir, kLogMaxObjects);
  out.set(cap::log_max_tis, kLogMaxObjects);
  out.set(cap::log_max_rqt, kLogMaxObjects);
  out.set(cap::log_max_pd, kLogMaxObjects);
  out.set(cap::log_max_transport_domain, kLogMaxObjects);
  out.set(cap::log_max_mkey, kLogMaxObjects);
  out.set(cap::log_max_tis_per_sq, 0);
  out.set(cap::max_qp_cnt, kMaxQCounters);

  out.set(cap::log_max_cq_sz, kLogMaxCqDepth);
  out.set(cap::log_max_qp_sz, kLogMaxQueueDepth);
  out.set(cap::log_max_wq_sz, kLogMaxQueueDepth);
  out.set(cap::log_max_rqt_size, kLogMaxRqtSize);
  out.set(cap::log_max_mrw_sz, kLogMaxKeyBytes);
  out.set(cap::basic_cyclic_rcv_wqe, 1);
  out.set(cap::max_wqe_sz_sq, kMaxSendWqeBytes);
  out.set(cap::max_wqe_sz_rq, kMaxReceiveWqeBytes);
  out.set(cap::log_min_stride_sz_sq, kLogSendStride);
  out.set(cap::log_max_stride_sz_sq, kLogSendStride);
  out.set(cap::striding_rq, 1);
  out.set(cap::ext_stride_num_range, 1);
  out.set(cap::log_min_stride_sz_rq, kLogMinReceiveStride);
  out.set(cap::log_max_stride_sz_rq, kLogMaxReceiveStride);

  out.set(cap::flow_counters_dump, 1);
  out.set(cap::flow_counter_bulk_alloc, 0xff);  // 128 << 0 to 128 << 7 counters
  out.set(cap::max_flow_counter_31_16, 0xff);

  out.set(cap::access_register_user, 1);
  out.set(cap::wait_on_time, 1);
  out.set(cap::bf, 1);
  out.set(cap::log_bf_reg_size, std::bit_width(2 * ringside::kBlueFlameBufferBytes) - 1);
  out.set(cap::uar_4k, 1);
  out.set(cap::num_of_uars_per_page, 1);
  const auto stamps =
      static_cast<std::uint32_t>(device.clocks.real_time ? prm::TimestampCapability::kBoth
                                                         : prm::TimestampCapability::kFreeRunning);
  out.set(cap::sq_ts_format, stamps);
  out.set(cap::rq_ts_format, stamps);
  out.set(cap::device_frequency_mhz, device.clocks.khz / 1000);
  out.set(cap::device_frequency_khz, device.clocks.khz);
}

void general_2(Answer& out) {
  out.set(prm::cmd_hca_cap_2::log_min_stride_wqe_sz, kLogMinStridingBuffer);
  out.set(prm::cmd_hca_cap_2::flow_counter_bulk_log_max_alloc, kLogMaxFlowCounterBulk);
}

void ethernet(Answer& out, const Device& device) {
  namespace cap = prm::ethernet_caps;
  // A NIC that wants headers inline has no WQEs of several packets: they would have no place.
  const bool wants_inline = vport_inline_mode(device) != 0;
  out.set(cap::wqe_inline_mode,
          static_cast<std::uint32_t>(wants_inline ? prm::InlineCapability::kVportContext
                                                  : prm::InlineCapability::kNotRequired));
  out.set(cap::csum_cap, 1);
  out.set(cap::vlan_cap, 1);
  out.set(cap::wqe_vlan_insert, device.fault(FaultKind::kNoVlanInsert) == nullptr ? 1 : 0);
  out.set(cap::tunnel_stateless_vxlan, 1);
  out.set(cap::tunnel_stateless_gre, 1);
  out.set(cap::multi_pkt_send_wqe, wants_inline ? 0 : 1);
  out.set(cap::enhanced_multi_pkt_send_wqe, wants_inline ? 0 : 1);
  out.set(cap::rss_ind_tbl_cap, kLogMaxRqtSize);
}

/// The receive side only: rules on the transmit side are refused.
void nic_flow_table(Answer& out) {
  namespace cap = prm::flow_table_prop_layout;
  constexpr prm::Context kReceive = prm::flow_table_nic_cap::flow_table_properties_nic_receive;
  out.set(kReceive, cap::ft_support, 1);
  out.set(kReceive, cap::flow_tag, 1);
  out.set(kReceive, cap::flow_counter, 1);
  out.set(kReceive, cap::sw_owner, 1);
  out.set(kReceive, cap::log_max_ft_size, 22);
  out.set(kReceive, cap::max_ft_level, 64);
  out.set(kReceive, cap::log_max_ft_num, kLogMaxObjects);
  out.set(kReceive, cap::log_max_flow_counter, 22);
  out.set(kReceive, cap::log_max_flow, 22);
}

void software(Answer& out, const Device& device) {
  out.set(prm::software_caps::completion_follows_data, device.completion_follows_data ? 1 : 0);
}

}  // namespace

void query_hca_cap(Command& command) {
  const std::uint32_t op_mod = command.get(prm::command_in::op_mod);
  Answer out(command);
  switch (static_cast<CapabilityGroup>(op_mod >> 1)) {
    case CapabilityGroup::kGeneral:
      return general(out, command.device());
    case CapabilityGroup::kGeneral2:
      return general_2(out);
    case CapabilityGroup::kEthernetOffloads:
      return ethernet(out, command.device());
    case CapabilityGroup::kNicFlowTable:
      return nic_flow_table(out);
    case CapabilityGroup::kSoftware:
      return software(out, command.device());
    // Groups that exist, and of which this device has nothing.
    case CapabilityGroup::kOdp:
    case CapabilityGroup::kAtomic:
    case CapabilityGroup::kRoce:
    case CapabilityGroup::kQos:
      return;
  }
  refuse(Rule::kUnknownCapabilityGroup, "capability group {:#x} is not known", op_mod >> 1);
}

}  // namespace softcx
