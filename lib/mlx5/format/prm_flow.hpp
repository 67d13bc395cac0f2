// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Steering: flow counters and what a rule can match (fte_match_param).
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

namespace alloc_flow_counter_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field pd{0x08, 23, 0};
inline constexpr Field flow_counter_bulk_log_size{0x0c, 12, 8};
inline constexpr Field flow_counter_bulk{0x0c, 7, 0};
}  // namespace alloc_flow_counter_in

namespace alloc_flow_counter_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field flow_counter_id{0x08, 31, 0};
}  // namespace alloc_flow_counter_out

namespace dealloc_flow_counter_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field flow_counter_id{0x08, 31, 0};
}  // namespace dealloc_flow_counter_in

namespace query_flow_counter_in {
inline constexpr std::size_t kSize = 0x20;
inline constexpr Field mkey{0x0c, 31, 0};
inline constexpr Field64 address{0x10};
inline constexpr Field clear{0x18, 31, 31};
inline constexpr Field dump_to_memory{0x18, 30, 30};
inline constexpr Field num_of_counters{0x18, 29, 0};
inline constexpr Field flow_counter_id{0x1c, 31, 0};
}  // namespace query_flow_counter_in

namespace query_flow_counter_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Context flow_statistics{0x10, 0x0};  ///< traffic_counter, as many as asked for
}  // namespace query_flow_counter_out

namespace traffic_counter {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field64 packets{0x00};
inline constexpr Field64 octets{0x08};
}  // namespace traffic_counter

/// A mask and a value of this layout make a match; shorter buffers end with a whole part.
namespace fte_match_param {
inline constexpr std::size_t kSize = 0x200;
inline constexpr Context outer_headers{0x00, 0x40};       ///< fte_match_set_lyr_2_4
inline constexpr Context misc_parameters{0x40, 0x40};     ///< fte_match_set_misc
inline constexpr Context inner_headers{0x80, 0x40};       ///< fte_match_set_lyr_2_4
inline constexpr Context misc_parameters_2{0xc0, 0x40};   ///< fte_match_set_misc2
inline constexpr Context misc_parameters_3{0x100, 0x40};  ///< fte_match_set_misc3
inline constexpr Context misc_parameters_4{0x140, 0x40};  ///< fte_match_set_misc4
inline constexpr Context misc_parameters_5{0x180, 0x40};  ///< fte_match_set_misc5
}  // namespace fte_match_param

namespace fte_match_set_lyr_2_4 {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field smac_47_16{0x00, 31, 0};
inline constexpr Field smac_15_0{0x04, 31, 16};
inline constexpr Field ethertype{0x04, 15, 0};
inline constexpr Field dmac_47_16{0x08, 31, 0};
inline constexpr Field dmac_15_0{0x0c, 31, 16};
inline constexpr Field first_prio{0x0c, 15, 13};
inline constexpr Field first_cfi{0x0c, 12, 12};
inline constexpr Field first_vid{0x0c, 11, 0};
inline constexpr Field ip_protocol{0x10, 31, 24};
inline constexpr Field ip_dscp{0x10, 23, 18};
inline constexpr Field ip_ecn{0x10, 17, 16};
inline constexpr Field cvlan_tag{0x10, 15, 15};
inline constexpr Field svlan_tag{0x10, 14, 14};
inline constexpr Field frag{0x10, 13, 13};
inline constexpr Field ip_version{0x10, 12, 9};
inline constexpr Field tcp_flags{0x10, 8, 0};
inline constexpr Field tcp_sport{0x14, 31, 16};
inline constexpr Field tcp_dport{0x14, 15, 0};
inline constexpr Field ipv4_ihl{0x18, 15, 12};
inline constexpr Field l3_ok{0x18, 11, 11};
inline constexpr Field l4_ok{0x18, 10, 10};
inline constexpr Field ipv4_checksum_ok{0x18, 9, 9};
inline constexpr Field l4_checksum_ok{0x18, 8, 8};
inline constexpr Field ip_ttl_hoplimit{0x18, 7, 0};
inline constexpr Field udp_sport{0x1c, 31, 16};
inline constexpr Field udp_dport{0x1c, 15, 0};
inline constexpr Context src_ipv4_src_ipv6{0x20, 0x10};  ///< IPv4: the last 4 bytes
inline constexpr Context dst_ipv4_dst_ipv6{0x30, 0x10};  ///< IPv4: the last 4 bytes
}  // namespace fte_match_set_lyr_2_4

namespace fte_match_set_misc {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field gre_c_present{0x00, 31, 31};
inline constexpr Field gre_k_present{0x00, 29, 29};
inline constexpr Field gre_s_present{0x00, 28, 28};
inline constexpr Field source_vhci_port{0x00, 27, 24};
inline constexpr Field source_sqn{0x00, 23, 0};
inline constexpr Field source_port{0x04, 15, 0};
inline constexpr Field outer_second_prio{0x08, 31, 29};
inline constexpr Field outer_second_cfi{0x08, 28, 28};
inline constexpr Field outer_second_vid{0x08, 27, 16};
inline constexpr Field inner_second_prio{0x08, 15, 13};
inline constexpr Field inner_second_cfi{0x08, 12, 12};
inline constexpr Field inner_second_vid{0x08, 11, 0};
inline constexpr Field outer_second_cvlan_tag{0x0c, 31, 31};
inline constexpr Field inner_second_cvlan_tag{0x0c, 30, 30};
inline constexpr Field outer_second_svlan_tag{0x0c, 29, 29};
inline constexpr Field inner_second_svlan_tag{0x0c, 28, 28};
inline constexpr Field gre_protocol{0x0c, 15, 0};
inline constexpr Field gre_key_h{0x10, 31, 8};
inline constexpr Field gre_key_l{0x10, 7, 0};
inline constexpr Field vxlan_vni{0x14, 31, 8};
inline constexpr Field bth_opcode{0x14, 7, 0};
inline constexpr Field geneve_vni{0x18, 31, 8};
inline constexpr Field lag_rx_port_affinity{0x18, 7, 4};
inline constexpr Field geneve_tlv_option_0_exist{0x18, 1, 1};
inline constexpr Field geneve_oam{0x18, 0, 0};
inline constexpr Field outer_ipv6_flow_label{0x1c, 19, 0};
inline constexpr Field inner_ipv6_flow_label{0x20, 19, 0};
inline constexpr Field geneve_opt_len{0x24, 21, 16};
inline constexpr Field geneve_protocol_type{0x24, 15, 0};
inline constexpr Field bth_dst_qp{0x28, 23, 0};
inline constexpr Field inner_esp_spi{0x2c, 31, 0};
inline constexpr Field outer_esp_spi{0x30, 31, 0};
}  // namespace fte_match_set_misc

namespace fte_match_set_misc2 {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Context outer_first_mpls{0x00, 0x4};           ///< fte_match_mpls
inline constexpr Context inner_first_mpls{0x04, 0x4};           ///< fte_match_mpls
inline constexpr Context outer_first_mpls_over_gre{0x08, 0x4};  ///< fte_match_mpls
inline constexpr Context outer_first_mpls_over_udp{0x0c, 0x4};  ///< fte_match_mpls
inline constexpr Field metadata_reg_c_7{0x10, 31, 0};
inline constexpr Field metadata_reg_c_6{0x14, 31, 0};
inline constexpr Field metadata_reg_c_5{0x18, 31, 0};
inline constexpr Field metadata_reg_c_4{0x1c, 31, 0};
inline constexpr Field metadata_reg_c_3{0x20, 31, 0};
inline constexpr Field metadata_reg_c_2{0x24, 31, 0};
inline constexpr Field metadata_reg_c_1{0x28, 31, 0};
inline constexpr Field metadata_reg_c_0{0x2c, 31, 0};
inline constexpr Field metadata_reg_a{0x30, 31, 0};
inline constexpr Field metadata_reg_b{0x34, 31, 0};
}  // namespace fte_match_set_misc2

namespace fte_match_set_misc3 {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field inner_tcp_seq_num{0x00, 31, 0};
inline constexpr Field outer_tcp_seq_num{0x04, 31, 0};
inline constexpr Field inner_tcp_ack_num{0x08, 31, 0};
inline constexpr Field outer_tcp_ack_num{0x0c, 31, 0};
inline constexpr Field outer_vxlan_gpe_vni{0x10, 23, 0};
inline constexpr Field outer_vxlan_gpe_next_protocol{0x14, 31, 24};
inline constexpr Field outer_vxlan_gpe_flags{0x14, 23, 16};
inline constexpr Field icmp_header_data{0x18, 31, 0};
inline constexpr Field icmpv6_header_data{0x1c, 31, 0};
inline constexpr Field icmp_type{0x20, 31, 24};
inline constexpr Field icmp_code{0x20, 23, 16};
inline constexpr Field icmpv6_type{0x20, 15, 8};
inline constexpr Field icmpv6_code{0x20, 7, 0};
inline constexpr Field geneve_tlv_option_0_data{0x24, 31, 0};
inline constexpr Field gtpu_teid{0x28, 31, 0};
inline constexpr Field gtpu_msg_type{0x2c, 31, 24};
inline constexpr Field gtpu_msg_flags{0x2c, 23, 16};
inline constexpr Field gtpu_dw_2{0x30, 31, 0};
inline constexpr Field gtpu_first_ext_dw_0{0x34, 31, 0};
inline constexpr Field gtpu_dw_0{0x38, 31, 0};
}  // namespace fte_match_set_misc3

namespace fte_match_set_misc4 {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field prog_sample_field_value_0{0x00, 31, 0};
inline constexpr Field prog_sample_field_id_0{0x04, 31, 0};
}  // namespace fte_match_set_misc4

namespace fte_match_set_misc5 {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field tunnel_header_0{0x10, 31, 0};
inline constexpr Field tunnel_header_1{0x14, 31, 0};
inline constexpr Field tunnel_header_2{0x18, 31, 0};
inline constexpr Field tunnel_header_3{0x1c, 31, 0};
inline constexpr Field metadata_reg_c_8{0x30, 31, 0};
inline constexpr Field metadata_reg_c_9{0x34, 31, 0};
inline constexpr Field metadata_reg_c_10{0x38, 31, 0};
inline constexpr Field metadata_reg_c_11{0x3c, 31, 0};
}  // namespace fte_match_set_misc5

}  // namespace ringside::prm
