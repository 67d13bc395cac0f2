// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// WQEs and CQEs against rdma-core's structures.
#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>

#include <cstring>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/striding.hpp"
#include "lib/mlx5/format/wqe.hpp"

namespace ringside {
namespace {

#define EXPECT_SAME_PLACE(Ours, our_member, Theirs, their_member)          \
  do {                                                                     \
    EXPECT_EQ(offsetof(Ours, our_member), offsetof(Theirs, their_member)); \
    EXPECT_EQ(sizeof(Ours::our_member), sizeof(Theirs::their_member));     \
  } while (false)

TEST(Mlx5Format, control_segment_is_as_rdma_core_lays_it_out) {
  EXPECT_EQ(sizeof(ControlSegment), sizeof(mlx5_wqe_ctrl_seg));
  EXPECT_SAME_PLACE(ControlSegment, opmod_idx_opcode, mlx5_wqe_ctrl_seg, opmod_idx_opcode);
  EXPECT_SAME_PLACE(ControlSegment, qpn_ds, mlx5_wqe_ctrl_seg, qpn_ds);
  EXPECT_SAME_PLACE(ControlSegment, fm_ce_se, mlx5_wqe_ctrl_seg, fm_ce_se);
  EXPECT_SAME_PLACE(ControlSegment, immediate, mlx5_wqe_ctrl_seg, imm);
}

TEST(Mlx5Format, control_segment_is_written_as_rdma_core_writes_it) {
  mlx5_wqe_ctrl_seg theirs{};
  mlx5dv_set_ctrl_seg(&theirs, 0x1234, MLX5_OPCODE_SEND, 0, 0xabcdef, MLX5_WQE_CTRL_CQ_UPDATE, 3, 0,
                      0);
  ControlSegment ours{};
  ours.opmod_idx_opcode = Be32::of(opmod_idx_opcode(0x1234, WqeOpcode::kSend));
  ours.qpn_ds = Be32::of(qpn_ds(0xabcdef, 3));
  ours.fm_ce_se = kCeAlways;
  EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0);
}

TEST(Mlx5Format, ethernet_segment_is_as_rdma_core_lays_it_out) {
  EXPECT_SAME_PLACE(EthernetSegment, cs_flags, mlx5_wqe_eth_seg, cs_flags);
  EXPECT_SAME_PLACE(EthernetSegment, mss, mlx5_wqe_eth_seg, mss);
  EXPECT_SAME_PLACE(EthernetSegment, inline_header_size, mlx5_wqe_eth_seg, inline_hdr_sz);
  EXPECT_EQ(offsetof(EthernetSegment, inline_header_start),
            offsetof(mlx5_wqe_eth_seg, inline_hdr_start));
  EXPECT_EQ(int{kCsL3}, int{MLX5_ETH_WQE_L3_CSUM});
  EXPECT_EQ(int{kCsL4}, int{MLX5_ETH_WQE_L4_CSUM});
}

TEST(Mlx5Format, data_segment_is_written_as_rdma_core_writes_it) {
  mlx5_wqe_data_seg theirs{};
  mlx5dv_set_data_seg(&theirs, 0x1500, 0xa1b2c3, 0x7fff'1234'5678'9abc);
  const DataSegment ours{Be32::of(0x1500), Be32::of(0xa1b2c3), Be64::of(0x7fff'1234'5678'9abc)};
  EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0);
  EXPECT_EQ(kInlineData, static_cast<std::uint32_t>(MLX5_INLINE_SEG));
  EXPECT_EQ(kInvalidLkey, static_cast<std::uint32_t>(MLX5_INVALID_LKEY));
}

TEST(Mlx5Format, striding_wqe_is_as_rdma_core_lays_it_out) {
  EXPECT_EQ(sizeof(StridingWqe), sizeof(mlx5_mprq_wqe));
  EXPECT_SAME_PLACE(StridingWqe, data, mlx5_mprq_wqe, dseg);
  EXPECT_EQ(std::size_t{1} << kLogStridingWqe, sizeof(StridingWqe));
}

TEST(Mlx5Format, opcodes_and_record_halves_are_rdma_core_s) {
  EXPECT_EQ(static_cast<int>(WqeOpcode::kNop), MLX5_OPCODE_NOP);
  EXPECT_EQ(static_cast<int>(WqeOpcode::kSend), MLX5_OPCODE_SEND);
  EXPECT_EQ(static_cast<int>(WqeOpcode::kTso), MLX5_OPCODE_TSO);
  EXPECT_EQ(int{kWqeBasicBlock}, int{MLX5_SEND_WQE_BB});
  EXPECT_EQ(offsetof(DoorbellRecord, receive_counter), 4 * std::size_t{MLX5_RCV_DBR});
  EXPECT_EQ(offsetof(DoorbellRecord, send_counter), 4 * std::size_t{MLX5_SND_DBR});
}

TEST(Mlx5Format, completion_is_as_rdma_core_lays_it_out) {
  EXPECT_EQ(sizeof(Cqe), sizeof(mlx5_cqe64));
  EXPECT_SAME_PLACE(Cqe, wqe_id, mlx5_cqe64, wqe_id);
  EXPECT_EQ(offsetof(Cqe, header_flags), offsetof(mlx5_cqe64, hds_ip_ext));
  EXPECT_EQ(offsetof(Cqe, header_types), offsetof(mlx5_cqe64, l4_hdr_type_etc));
  EXPECT_SAME_PLACE(Cqe, vlan_info, mlx5_cqe64, vlan_info);
  EXPECT_EQ(offsetof(Cqe, user_index), offsetof(mlx5_cqe64, srqn_uidx) + 1);  // 24 bits of 32
  EXPECT_SAME_PLACE(Cqe, flow_table_metadata, mlx5_cqe64, imm_inval_pkey);
  EXPECT_SAME_PLACE(Cqe, byte_count, mlx5_cqe64, byte_cnt);
  EXPECT_SAME_PLACE(Cqe, timestamp, mlx5_cqe64, timestamp);
  EXPECT_SAME_PLACE(Cqe, sop_qpn, mlx5_cqe64, sop_drop_qpn);
  EXPECT_SAME_PLACE(Cqe, wqe_counter, mlx5_cqe64, wqe_counter);
  EXPECT_SAME_PLACE(Cqe, op_own, mlx5_cqe64, op_own);
  EXPECT_EQ(kErrorCqeVendorSyndromeOffset, offsetof(mlx5_err_cqe, vendor_err_synd));
  EXPECT_EQ(kErrorCqeSyndromeOffset, offsetof(mlx5_err_cqe, syndrome));
}

TEST(Mlx5Format, completion_opcodes_and_syndromes_are_rdma_core_s) {
  EXPECT_EQ(static_cast<int>(CqeOpcode::kRequester), MLX5_CQE_REQ);
  EXPECT_EQ(static_cast<int>(CqeOpcode::kResponderSend), MLX5_CQE_RESP_SEND);
  EXPECT_EQ(static_cast<int>(CqeOpcode::kRequesterError), MLX5_CQE_REQ_ERR);
  EXPECT_EQ(static_cast<int>(CqeOpcode::kResponderError), MLX5_CQE_RESP_ERR);
  EXPECT_EQ(static_cast<int>(CqeOpcode::kInvalid), MLX5_CQE_INVALID);
  EXPECT_EQ(static_cast<int>(CqeSyndrome::kLocalLength), MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
  EXPECT_EQ(static_cast<int>(CqeSyndrome::kLocalQpOperation), MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
  EXPECT_EQ(static_cast<int>(CqeSyndrome::kLocalProtection), MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
  EXPECT_EQ(static_cast<int>(CqeSyndrome::kWorkRequestFlushed), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
  mlx5_cqe64 theirs{};
  theirs.op_own = kCqeInitialOpOwn;
  EXPECT_EQ(static_cast<int>(cqe_opcode(kCqeInitialOpOwn)), mlx5dv_get_cqe_opcode(&theirs));
}

TEST(Mlx5Format, owner_bit_turns_with_each_pass) {
  const auto op_own = [](int owner) { return static_cast<std::uint8_t>(0x20 | owner); };
  EXPECT_TRUE(cqe_is_ready(op_own(0), 7, 3));
  EXPECT_FALSE(cqe_is_ready(op_own(1), 7, 3));
  EXPECT_TRUE(cqe_is_ready(op_own(1), 8, 3));
  EXPECT_FALSE(cqe_is_ready(kCqeInitialOpOwn, 0, 3));
  EXPECT_FALSE(cqe_is_ready(kCqeInitialOpOwn, 8, 3));  // its owner bit fits, it was never written
}

}  // namespace
}  // namespace ringside
