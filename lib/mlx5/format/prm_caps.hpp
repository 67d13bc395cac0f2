// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Capabilities (QUERY_HCA_CAP) and the NIC virtual port context.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

/// op_mod of QUERY_HCA_CAP: the group shifted by one, and the lowest bit for "as set now" in place
/// of "as much as the device can". kSoftware is not in the PRM: what only a NIC in software can do.
/// Others refuse the group, as any that they do not know.
enum class CapabilityGroup : std::uint32_t {
  kGeneral = 0x00,
  kEthernetOffloads = 0x01,
  kOdp = 0x02,
  kAtomic = 0x03,
  kRoce = 0x04,
  kNicFlowTable = 0x07,
  kQos = 0x0c,
  kGeneral2 = 0x20,
  kSoftware = 0x7f53,
};
inline constexpr std::uint32_t kCapabilityCurrent = 1;

/// sq_ts_format, rq_ts_format, qp_ts_format: what queues can be given.
enum class TimestampCapability : std::uint32_t { kFreeRunning = 0, kRealTime = 1, kBoth = 2 };
/// wqe_inline_mode: who says how much of a packet has to be inline.
enum class InlineCapability : std::uint32_t { kL2 = 0, kVportContext = 1, kNotRequired = 2 };

namespace query_hca_cap_in {
inline constexpr std::size_t kSize = 0x10;
}  // namespace query_hca_cap_in

namespace query_hca_cap_out {
inline constexpr std::size_t kSize = 0x1010;
inline constexpr Context capability{0x10, 0x1000};  ///< by CapabilityGroup
}  // namespace query_hca_cap_out

namespace cmd_hca_cap {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field alloc_flow_counter_pd{0x00, 30, 30};
inline constexpr Field hca_cap_2{0x04, 31, 31};
inline constexpr Field vhca_id{0x04, 15, 0};
inline constexpr Field log_max_srq_sz{0x10, 31, 24};
inline constexpr Field log_max_qp_sz{0x10, 23, 16};
inline constexpr Field log_max_qp{0x10, 4, 0};
inline constexpr Field access_register_user{0x18, 13, 13};
inline constexpr Field log_max_cq_sz{0x18, 23, 16};
inline constexpr Field log_max_cq{0x18, 4, 0};
inline constexpr Field log_max_eq_sz{0x1c, 31, 24};
inline constexpr Field relaxed_ordering_write{0x1c, 23, 23};
inline constexpr Field relaxed_ordering_read{0x1c, 22, 22};
inline constexpr Field log_max_mkey{0x1c, 21, 16};
inline constexpr Field log_max_eq{0x1c, 3, 0};
inline constexpr Field fixed_buffer_size{0x20, 23, 23};
inline constexpr Field log_max_mrw_sz{0x20, 22, 16};
inline constexpr Field null_mkey{0x20, 6, 6};
inline constexpr Field log_maxklm_list_size{0x20, 5, 0};
inline constexpr Field end_pad{0x2c, 31, 31};
inline constexpr Field vport_counters{0x30, 30, 30};
inline constexpr Field modify_rq_counter_set_id{0x30, 27, 27};
inline constexpr Field rq_delay_drop{0x30, 26, 26};
inline constexpr Field max_qp_cnt{0x30, 25, 16};
inline constexpr Field eth_virt{0x34, 28, 28};
inline constexpr Field nic_flow_table{0x34, 25, 25};
inline constexpr Field port_type{0x34, 9, 8};
inline constexpr Field num_ports{0x34, 7, 0};
inline constexpr Field log_max_msg{0x38, 28, 24};
inline constexpr Field max_tc{0x38, 19, 16};
inline constexpr Field cqe_version{0x3c, 3, 0};
inline constexpr Field striding_rq{0x40, 30, 30};
inline constexpr Field qos{0x40, 4, 4};
inline constexpr Field eth_net_offloads{0x40, 3, 3};
inline constexpr Field roce{0x40, 2, 2};
inline constexpr Field cq_oi{0x44, 31, 31};
inline constexpr Field cq_moderation{0x44, 29, 29};
inline constexpr Field uar_4k{0x48, 31, 31};
inline constexpr Field uar_sz{0x48, 21, 16};
inline constexpr Field log_pg_sz{0x48, 7, 0};
inline constexpr Field bf{0x4c, 31, 31};
inline constexpr Field pad_tx_eth_packet{0x4c, 29, 29};
inline constexpr Field log_bf_reg_size{0x4c, 20, 16};
inline constexpr Field lag_master{0x4c, 4, 4};
inline constexpr Field num_lag_ports{0x4c, 3, 0};
inline constexpr Field max_wqe_sz_sq{0x50, 15, 0};
inline constexpr Field max_wqe_sz_rq{0x54, 15, 0};
inline constexpr Field max_flow_counter_31_16{0x58, 31, 16};
inline constexpr Field flow_counter_bulk_alloc{0x60, 15, 8};
inline constexpr Field log_max_transport_domain{0x64, 28, 24};
inline constexpr Field log_max_pd{0x64, 20, 16};
inline constexpr Field log_max_flow_counter_bulk{0x68, 23, 16};
inline constexpr Field max_flow_counter_15_0{0x68, 15, 0};
inline constexpr Field flow_counters_dump{0x6c, 30, 30};
inline constexpr Field log_max_rq{0x6c, 28, 24};
inline constexpr Field log_max_sq{0x6c, 20, 16};
inline constexpr Field log_max_tir{0x6c, 12, 8};
inline constexpr Field log_max_tis{0x6c, 4, 0};
inline constexpr Field basic_cyclic_rcv_wqe{0x70, 31, 31};
inline constexpr Field log_max_rqt{0x70, 20, 16};
inline constexpr Field log_max_rqt_size{0x70, 12, 8};
inline constexpr Field log_max_tis_per_sq{0x70, 4, 0};
inline constexpr Field ext_stride_num_range{0x74, 31, 31};
inline constexpr Field log_max_stride_sz_rq{0x74, 28, 24};
inline constexpr Field log_min_stride_sz_rq{0x74, 20, 16};
inline constexpr Field log_max_stride_sz_sq{0x74, 12, 8};
inline constexpr Field log_min_stride_sz_sq{0x74, 4, 0};
inline constexpr Field hairpin{0x78, 31, 31};
inline constexpr Field log_max_wq_sz{0x78, 4, 0};
inline constexpr Field64 general_obj_types{0x80};
inline constexpr Field sq_ts_format{0x88, 31, 30};
inline constexpr Field rq_ts_format{0x88, 29, 28};
inline constexpr Field steering_format_version{0x88, 27, 24};
inline constexpr Field log_uar_page_sz{0x90, 15, 0};
inline constexpr Field device_frequency_mhz{0x98, 31, 0};
inline constexpr Field device_frequency_khz{0x9c, 31, 0};
inline constexpr Field num_of_uars_per_page{0xa4, 31, 0};
inline constexpr Field flex_parser_protocols{0xa8, 31, 0};
inline constexpr Field cqe_compression{0xb4, 0, 0};
inline constexpr Field num_vhca_ports{0xc0, 15, 8};
inline constexpr Field wait_on_time{0xd0, 19, 19};
}  // namespace cmd_hca_cap

namespace software_caps {
/// A completion becomes visible after its packet, whatever kinds of memory the two lie in. PCIe
/// does not give that: it keeps order on one path only.
inline constexpr Field completion_follows_data{0x00, 0, 0};
}  // namespace software_caps

namespace cmd_hca_cap_2 {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field log_min_stride_wqe_sz{0x18, 28, 24};
inline constexpr Field flow_counter_bulk_log_max_alloc{0x48, 12, 8};
inline constexpr Field flow_counter_bulk_log_granularity{0x48, 4, 0};
}  // namespace cmd_hca_cap_2

namespace ethernet_caps {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field csum_cap{0x00, 31, 31};
inline constexpr Field vlan_cap{0x00, 30, 30};
inline constexpr Field lro_cap{0x00, 29, 29};
inline constexpr Field lro_psh_flag{0x00, 28, 28};
inline constexpr Field lro_time_stamp{0x00, 27, 27};
inline constexpr Field lro_max_msg_sz_mode{0x00, 26, 25};
inline constexpr Field wqe_vlan_insert{0x00, 24, 24};
inline constexpr Field self_lb_en_modifiable{0x00, 23, 23};
inline constexpr Field self_lb_mc{0x00, 22, 22};
inline constexpr Field self_lb_uc{0x00, 21, 21};
inline constexpr Field max_lso_cap{0x00, 20, 16};
inline constexpr Field multi_pkt_send_wqe{0x00, 15, 14};
inline constexpr Field wqe_inline_mode{0x00, 13, 12};  ///< InlineCapability
inline constexpr Field rss_ind_tbl_cap{0x00, 11, 8};
inline constexpr Field reg_umr_sq{0x00, 7, 7};
inline constexpr Field scatter_fcs{0x00, 6, 6};
inline constexpr Field enhanced_multi_pkt_send_wqe{0x00, 5, 5};
inline constexpr Field tunnel_lso_const_out_ip_id{0x00, 4, 4};
inline constexpr Field tunnel_lro_gre{0x00, 3, 3};
inline constexpr Field tunnel_lro_vxlan{0x00, 2, 2};
inline constexpr Field tunnel_stateless_gre{0x00, 1, 1};
inline constexpr Field tunnel_stateless_vxlan{0x00, 0, 0};
inline constexpr Field swp{0x04, 31, 31};
inline constexpr Field swp_csum{0x04, 30, 30};
inline constexpr Field swp_lso{0x04, 29, 29};
inline constexpr Field tunnel_stateless_gtp{0x04, 20, 20};
inline constexpr Field tunnel_stateless_vxlan_gpe_nsh{0x04, 17, 17};
inline constexpr Field max_vxlan_udp_ports{0x04, 15, 8};
inline constexpr Field max_geneve_opt_len{0x04, 1, 1};
inline constexpr Field tunnel_stateless_geneve_rx{0x04, 0, 0};
inline constexpr Field lro_min_mss_size{0x08, 15, 0};
}  // namespace ethernet_caps

namespace flow_table_nic_cap {
inline constexpr std::size_t kSize = 0x1000;
inline constexpr Context flow_table_properties_nic_receive{0x40, 0x40};
inline constexpr Context flow_table_properties_nic_transmit{0x100, 0x40};
inline constexpr Context ft_header_modify_nic_receive{0x200, 0x80};    ///< ft_fields_support
inline constexpr Context ft_field_support_2_nic_receive{0x280, 0x10};  ///< ft_fields_support_2
}  // namespace flow_table_nic_cap

namespace flow_table_prop_layout {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field ft_support{0x00, 31, 31};
inline constexpr Field flow_tag{0x00, 30, 30};
inline constexpr Field flow_counter{0x00, 29, 29};
inline constexpr Field flow_modify_en{0x00, 28, 28};
inline constexpr Field modify_root{0x00, 27, 27};
inline constexpr Field identified_miss_table{0x00, 26, 26};
inline constexpr Field flow_table_modify{0x00, 25, 25};
inline constexpr Field reformat{0x00, 24, 24};
inline constexpr Field decap{0x00, 23, 23};
inline constexpr Field pop_vlan{0x00, 21, 21};
inline constexpr Field push_vlan{0x00, 20, 20};
inline constexpr Field sw_owner{0x00, 14, 14};
inline constexpr Field sw_owner_v2{0x00, 1, 1};
inline constexpr Field log_max_ft_size{0x04, 29, 24};
inline constexpr Field log_max_modify_header_context{0x04, 23, 16};
inline constexpr Field max_modify_header_actions{0x04, 15, 8};
inline constexpr Field max_ft_level{0x04, 7, 0};
inline constexpr Field log_max_ft_num{0x0c, 7, 0};
inline constexpr Field log_max_flow_counter{0x10, 15, 8};
inline constexpr Field log_max_destination{0x10, 7, 0};
inline constexpr Field log_max_flow{0x14, 7, 0};
}  // namespace flow_table_prop_layout

namespace roce_caps {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field qp_ts_format{0x00, 1, 0};
}  // namespace roce_caps

namespace qos_cap {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field packet_pacing{0x00, 31, 31};
inline constexpr Field flow_meter_old{0x00, 24, 24};
inline constexpr Field flow_meter{0x04, 23, 23};
}  // namespace qos_cap

namespace nic_vport_context {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field min_wqe_inline_mode{0x00, 26, 24};
inline constexpr Field roce_en{0x00, 0, 0};
inline constexpr Field mtu{0x24, 15, 0};
inline constexpr Field64 system_image_guid{0x28};
inline constexpr Field64 port_guid{0x30};
inline constexpr Field64 node_guid{0x38};
inline constexpr Field promisc_uc{0xf0, 31, 31};
inline constexpr Field promisc_mc{0xf0, 30, 30};
inline constexpr Field promisc_all{0xf0, 29, 29};
inline constexpr Context permanent_address{0xf4, 0x8};  ///< mac_address_layout
}  // namespace nic_vport_context

namespace mac_address_layout {
inline constexpr std::size_t kSize = 0x8;
inline constexpr Field mac_addr_47_32{0x00, 15, 0};
inline constexpr Field mac_addr_31_0{0x04, 31, 0};
}  // namespace mac_address_layout

namespace query_nic_vport_context_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field other_vport{0x08, 31, 31};
inline constexpr Field vport_number{0x08, 15, 0};
inline constexpr Field allowed_list_type{0x0c, 26, 24};
}  // namespace query_nic_vport_context_in

namespace query_nic_vport_context_out {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context nic_vport_context{0x10, 0x100};  ///< nic_vport_context
}  // namespace query_nic_vport_context_out

}  // namespace ringside::prm
