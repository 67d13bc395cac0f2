// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The field language of the PRM layouts, and layouts against each other.
#include "lib/mlx5/format/prm.hpp"

#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_command.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "lib/mlx5/format/prm_rqt.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

namespace ringside::prm {
namespace {

TEST(Mlx5Prm, field_is_written_in_big_endian_bits) {
  Mailbox<8> box;
  box.set(Field{4, 23, 20}, 0xa);
  EXPECT_EQ(box.data()[5], 0xa0);
  box.set(Field{4, 31, 28}, 0x5);
  EXPECT_EQ(box.data()[4], 0x50);
  EXPECT_EQ(box.get(Field{4, 23, 20}), 0xaU);
}

TEST(Mlx5Prm, setting_a_field_leaves_its_neighbours) {
  Mailbox<4> box;
  box.set(Field{0, 31, 0}, 0xffff'ffff);
  box.set(Field{0, 19, 8}, 0x123);
  EXPECT_EQ(box.get(Field{0, 31, 0}), 0xfff1'23ffU);
  box.set(Field{0, 19, 8}, 0);
  EXPECT_EQ(box.get(Field{0, 31, 0}), 0xfff0'00ffU);
}

TEST(Mlx5Prm, widths_from_one_bit_to_a_dword_come_back) {
  for (std::uint8_t low = 0; low < 32; ++low) {
    for (std::uint8_t high = low; high < 32; ++high) {
      Mailbox<4> box;
      const Field field{0, high, low};
      box.set(field, field.max());
      EXPECT_EQ(box.get(field), field.max()) << int{high} << ".." << int{low};
      EXPECT_EQ(box.get(Field{0, 31, 0}), field.max() << low);
    }
  }
}

TEST(Mlx5Prm, long_numbers_have_the_high_dword_first) {
  Mailbox<16> box;
  box.set(Field64{8}, 0x0123'4567'89ab'cdef);
  EXPECT_EQ(box.data()[8], 0x01);
  EXPECT_EQ(box.data()[15], 0xef);
  EXPECT_EQ(box.get(Field64{8}), 0x0123'4567'89ab'cdefU);
}

TEST(Mlx5Prm, context_shifts_what_it_holds) {
  constexpr Field kLogSize = create_sq_in::ctx / sqc::wq / wq::log_wq_sz;
  static_assert(kLogSize.offset == 0x20 + 0x30 + 0x20);
  static_assert(kLogSize.high == 4 && kLogSize.low == 0);
  static_assert((create_tir_in::ctx / tirc::rx_hash_toeplitz_key).offset == 0x48);
}

TEST(Mlx5Prm, contexts_fill_the_commands_that_hold_them) {
  EXPECT_EQ(create_cq_in::cq_context.size, cqc::kSize);
  EXPECT_EQ(create_sq_in::ctx.offset + sqc::kSize, create_sq_in::kSize);
  EXPECT_EQ(create_rq_in::ctx.offset + rqc::kSize, create_rq_in::kSize);
  EXPECT_EQ(modify_sq_in::ctx.offset + sqc::kSize, modify_sq_in::kSize);
  EXPECT_EQ(query_rq_out::rq_context.offset + rqc::kSize, query_rq_out::kSize);
  EXPECT_EQ(sqc::wq.offset + wq::kSize, sqc::kSize);
  EXPECT_EQ(rqc::wq.offset + wq::kSize, rqc::kSize);
  EXPECT_EQ(create_tis_in::ctx.offset + tisc::kSize, create_tis_in::kSize);
  EXPECT_EQ(create_tir_in::ctx.offset + tirc::kSize, create_tir_in::kSize);
  EXPECT_EQ(create_rqt_in::rqt_context.offset + rqtc::kSize, create_rqt_in::kSize);
  EXPECT_EQ(rqtc::rq_num(0).offset, rqtc::kSize);
  EXPECT_EQ(create_mkey_in::memory_key_mkey_entry.size, mkc::kSize);
  EXPECT_EQ(query_nic_vport_context_out::nic_vport_context.size, nic_vport_context::kSize);
}

TEST(Mlx5Prm, parts_of_a_match_follow_each_other) {
  std::uint32_t at = 0;
  for (const Context part : {fte_match_param::outer_headers, fte_match_param::misc_parameters,
                             fte_match_param::inner_headers, fte_match_param::misc_parameters_2,
                             fte_match_param::misc_parameters_3, fte_match_param::misc_parameters_4,
                             fte_match_param::misc_parameters_5}) {
    EXPECT_EQ(part.offset, at);
    at += part.size;
  }
  EXPECT_EQ(fte_match_set_lyr_2_4::dst_ipv4_dst_ipv6.offset +
                fte_match_set_lyr_2_4::dst_ipv4_dst_ipv6.size,
            fte_match_set_lyr_2_4::kSize);
}

/// rdma-core's macros over a layout written down here, bit for bit, from the manual's drawing.
struct mlx5_ifc_drawn_bits {
  std::uint8_t a[0x4];
  std::uint8_t b[0x1];
  std::uint8_t reserved_at_5[0x3];
  std::uint8_t c[0x18];
  std::uint8_t d[0x40];
};

TEST(Mlx5Prm, fields_agree_with_the_macros_of_mlx5dv) {
  Mailbox<12> ours;
  ours.set(Field{0, 31, 28}, 0x9);
  ours.set(Field{0, 27, 27}, 1);
  ours.set(Field{0, 23, 0}, 0xabcdef);
  ours.set(Field64{4}, 0x1122'3344'5566'7788);
  const std::uint8_t* const box = ours.data();
  EXPECT_EQ(DEVX_GET(drawn, box, a), 0x9U);
  EXPECT_EQ(DEVX_GET(drawn, box, b), 1U);
  EXPECT_EQ(DEVX_GET(drawn, box, c), 0xabcdefU);
  // d begins at a multiple of 4, not of 8, where DEVX_GET64 does not look.
  EXPECT_EQ(ours.get(Field64{4}), 0x1122'3344'5566'7788U);
}

}  // namespace
}  // namespace ringside::prm
