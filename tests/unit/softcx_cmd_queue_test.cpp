// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// CREATE_CQ, CREATE_SQ and CREATE_RQ: one rule a test, by a valid command with one field spoilt.
#include "lib/mlx5/format/striding.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxQueue : public CommandTest {
 protected:
  static constexpr prm::Context kCqc = prm::create_cq_in::cq_context;
  static constexpr prm::Context kSqc = prm::create_sq_in::ctx;
  static constexpr prm::Context kRqc = prm::create_rq_in::ctx;
  static constexpr prm::Context kSqWq = kSqc / prm::sqc::wq;
  static constexpr prm::Context kRqWq = kRqc / prm::rqc::wq;

  template <class AnyField>
  Answer cq_with(AnyField field, std::uint32_t value) {
    return run_with(cq_command(), field, value);
  }
  template <class AnyField>
  Answer sq_with(AnyField field, std::uint32_t value) {
    return run_with(sq_command(), field, value);
  }
  template <class AnyField>
  Answer rq_with(AnyField field, std::uint32_t value) {
    return run_with(rq_command(), field, value);
  }
  /// 64 strides of 256 bytes a WQE.
  auto striding_rq_command() const {
    auto in = rq_command();
    in.set(kRqWq / prm::wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclicStriding));
    in.set(kRqWq / prm::wq::log_wq_stride, ringside::kLogStridingWqe);
    in.set(kRqWq / prm::wq::single_wqe_log_num_of_strides, ringside::stride_count_field(6));
    in.set(kRqWq / prm::wq::single_stride_log_num_of_bytes, 2);
    return in;
  }
};

TEST_F(SoftcxQueue, valid_commands_are_done) {
  EXPECT_DONE(run(cq_command()));
  EXPECT_DONE(run(sq_command()));
  EXPECT_DONE(run(rq_command()));
}

TEST_F(SoftcxQueue, ring_and_record_lie_where_the_command_says) {
  const std::uint32_t sqn = run(sq_command()).id();
  const Sq& sq = *device.sqs.at(sqn);
  EXPECT_EQ(sq.ring, memory.get() + 0x2000);
  EXPECT_EQ(reinterpret_cast<std::uint8_t*>(sq.record), memory.get() + kRecordOffset + 8);
  EXPECT_EQ(sq.log_depth, 4U);
  EXPECT_EQ(sq.state.load(), QueueState::kReset);
  EXPECT_EQ(sq.uar->send_queues.load()->size(), 1U);
}

TEST_F(SoftcxQueue, cq_above_the_limit) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::log_cq_size, 23), kExceedsLimit, kSizeAboveLimit);
}
// The kernel sets these bits: a program that leaves them 0 gets its queues, on hardware too.
TEST_F(SoftcxQueue, numbers_of_umems_are_valid_without_a_word_about_it) {
  EXPECT_DONE(cq_with(prm::create_cq_in::cq_umem_valid, 0));
  EXPECT_DONE(cq_with(kCqc / prm::cqc::dbr_umem_valid, 0));
  for (const prm::Field valid : {prm::wq::wq_umem_valid, prm::wq::dbr_umem_valid}) {
    EXPECT_DONE(sq_with(kSqWq / valid, 0));
    EXPECT_DONE(rq_with(kRqWq / valid, 0));
  }
}
TEST_F(SoftcxQueue, cq_in_a_umem_that_is_not_there) {
  EXPECT_REFUSED(cq_with(prm::create_cq_in::cq_umem_id, 0xbad), kBadResource, kNoSuchUmem);
}
TEST_F(SoftcxQueue, cq_in_a_umem_without_local_write) {
  EXPECT_REFUSED(cq_with(prm::create_cq_in::cq_umem_id, add_umem(false)), kBadParameter,
                 kRingUmemReadOnly);
}
TEST_F(SoftcxQueue, cq_ring_that_ends_outside_its_umem) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::log_cq_size, 11), kBadParameter, kRingOutsideUmem);
}
TEST_F(SoftcxQueue, cq_ring_that_begins_outside_its_umem) {
  EXPECT_REFUSED(cq_with(prm::create_cq_in::cq_umem_offset, kUmemBytes + 4096), kBadParameter,
                 kRingOutsideUmem);
}
TEST_F(SoftcxQueue, cq_ring_that_is_not_where_page_offset_says) {
  EXPECT_REFUSED(cq_with(prm::create_cq_in::cq_umem_offset, 64), kBadParameter, kRingMisaligned);
}
/// page_offset counts 64ths of a page, whatever its size.
TEST_F(SoftcxQueue, cq_ring_off_its_large_page) {
  auto in = cq_command();
  in.set(kCqc / prm::cqc::log_page_size, 1);
  in.set(prm::create_cq_in::cq_umem_offset, 0x2000);
  EXPECT_DONE(run(in));
  in.set(prm::create_cq_in::cq_umem_offset, 0x1000);
  EXPECT_REFUSED(run(in), kBadParameter, kRingMisaligned);
  in.set(kCqc / prm::cqc::page_offset, 32);
  EXPECT_DONE(run(in));
}
TEST_F(SoftcxQueue, cq_record_off_its_alignment) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::dbr_addr, kRecordOffset + 4), kBadParameter,
                 kRecordMisaligned);
}
TEST_F(SoftcxQueue, cq_record_outside_its_umem) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::dbr_addr, kUmemBytes), kBadParameter, kRecordOutsideUmem);
}
TEST_F(SoftcxQueue, cq_record_inside_its_own_ring) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::dbr_addr, 64), kBadParameter, kRecordInsideRing);
}
TEST_F(SoftcxQueue, cq_on_an_event_queue_that_is_not_there) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::c_eqn, 9), kBadResource, kNoSuchEq);
}
TEST_F(SoftcxQueue, cq_on_a_uar_that_is_not_there) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::uar_page, 0xbad), kBadResource, kNoSuchUar);
}
TEST_F(SoftcxQueue, cq_of_large_entries) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::cqe_sz, 1), kBadParameter, kFeatureUnsupported);
}
TEST_F(SoftcxQueue, cq_that_is_collapsed) {
  EXPECT_REFUSED(cq_with(kCqc / prm::cqc::cc, 1), kBadParameter, kFeatureUnsupported);
}

TEST_F(SoftcxQueue, cq_changes_but_for_its_moderation) {
  auto in = command<prm::modify_cq_in::kSize>(Opcode::kModifyCq, cq);
  in.set(prm::modify_cq_in::modify_field_select, prm::modify_cq_in::kPeriod);
  EXPECT_DONE(run(in));
  EXPECT_REFUSED(
      run_with(in, prm::modify_cq_in::modify_field_select, prm::modify_cq_in::kOverrunIgnore),
      kBadParameter, kModifyUnsupported);
  EXPECT_REFUSED(run_with(in, prm::modify_cq_in::cqn, 0xbad), kBadResource, kNoSuchCq);
}
TEST_F(SoftcxQueue, uar_page_of_a_cq_stays) {
  EXPECT_FALSE(remove_uar(device, uar));
  EXPECT_EQ(destroyed(Opcode::kDestroyCq, cq), Status::kOk);
  EXPECT_TRUE(remove_uar(device, uar));
}

TEST_F(SoftcxQueue, sq_above_the_limit) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::log_wq_sz, 16), kExceedsLimit, kSizeAboveLimit);
}
TEST_F(SoftcxQueue, sq_of_another_stride) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::log_wq_stride, 7), kBadParameter, kStrideOutOfRange);
}
TEST_F(SoftcxQueue, sq_that_is_no_ring) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::wq_type, 0), kBadParameter, kWqTypeUnsupported);
}
TEST_F(SoftcxQueue, sq_that_is_ready_from_the_start) {
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::state, 1), kBadParameter, kCreatedNotInReset);
}
TEST_F(SoftcxQueue, sq_without_a_tis) {
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::tis_lst_sz, 0), kBadParameter, kNoTis);
}
TEST_F(SoftcxQueue, sq_on_a_tis_that_is_not_there) {
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::tis_num_0, 0xbad), kBadResource, kNoSuchTis);
}
TEST_F(SoftcxQueue, sq_on_a_cq_that_is_not_there) {
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::cqn, 0xbad), kBadResource, kNoSuchCq);
}
TEST_F(SoftcxQueue, sq_in_a_protection_domain_that_is_not_there) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::pd, 0xbad), kBadResource, kNoSuchPd);
}
TEST_F(SoftcxQueue, sq_on_a_uar_that_is_not_there) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::uar_page, 0xbad), kBadResource, kNoSuchUar);
}
TEST_F(SoftcxQueue, sq_ring_that_ends_outside_its_umem) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::log_wq_sz, 10), kBadParameter, kRingOutsideUmem);
}
TEST_F(SoftcxQueue, sq_record_off_its_alignment) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::dbr_addr, kRecordOffset + 4), kBadParameter,
                 kRecordMisaligned);
}
TEST_F(SoftcxQueue, sq_ring_off_its_large_page) {
  EXPECT_DONE(sq_with(kSqWq / prm::wq::log_wq_pg_sz, 1));
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::log_wq_pg_sz, 2), kBadParameter, kRingMisaligned);
}
TEST_F(SoftcxQueue, sq_of_an_inline_mode_that_does_not_exist) {
  EXPECT_DONE(sq_with(kSqc / prm::sqc::min_wqe_inline_mode, 3));
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::min_wqe_inline_mode, 4), kBadParameter,
                 kInlineModeUnknown);
}
TEST_F(SoftcxQueue, sq_with_real_time_stamps) {
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::ts_format, 2), kBadParameter, kFeatureUnsupported);
}
TEST_F(SoftcxQueue, sq_counts_what_its_ts_format_says) {
  device.clocks.real_time = true;
  for (const auto& [format, real_time] : {std::pair{0U, false}, {1U, true}, {2U, true}}) {
    const Answer answer = sq_with(kSqc / prm::sqc::ts_format, format);
    ASSERT_EQ(answer.status, Status::kOk) << format;
    EXPECT_EQ(device.sqs.at(answer.id())->stamps.real_time(), real_time) << format;
  }
  EXPECT_REFUSED(sq_with(kSqc / prm::sqc::ts_format, 3), kBadParameter, kFeatureUnsupported);
}
TEST_F(SoftcxQueue, sq_with_signed_wqes) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::wq_signature, 1), kBadParameter, kFeatureUnsupported);
}
TEST_F(SoftcxQueue, sq_with_features_that_are_not_among_the_capabilities) {
  for (const prm::Field field :
       {prm::sqc::hairpin, prm::sqc::reg_umr, prm::sqc::allow_swp, prm::sqc::non_wire,
        prm::sqc::static_sq_wq, prm::sqc::cd_master, prm::sqc::packet_pacing_rate_limit_index}) {
    EXPECT_REFUSED(sq_with(kSqc / field, 1), kBadParameter, kFeatureUnsupported);
  }
}

TEST_F(SoftcxQueue, rq_above_the_limit) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::log_wq_sz, 16), kExceedsLimit, kSizeAboveLimit);
}
TEST_F(SoftcxQueue, rq_of_a_stride_that_holds_no_scatter_entry) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::log_wq_stride, 3), kBadParameter, kStrideOutOfRange);
}
TEST_F(SoftcxQueue, rq_of_more_scatter_entries_than_there_can_be) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::log_wq_stride, 10), kBadParameter, kStrideOutOfRange);
}
TEST_F(SoftcxQueue, rq_that_is_a_list) {
  EXPECT_REFUSED(
      rq_with(kRqWq / prm::wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kListStriding)),
      kBadParameter, kWqTypeUnsupported);
}
TEST_F(SoftcxQueue, rq_that_strides_keeps_its_strides) {
  for (const std::uint32_t log_strides : {3U, 6U, 9U, 13U}) {
    auto in = striding_rq_command();
    in.set(kRqWq / prm::wq::single_wqe_log_num_of_strides,
           ringside::stride_count_field(log_strides));
    in.set(kRqWq / prm::wq::two_byte_shift_en, 1);
    const Answer made = run(in);
    ASSERT_EQ(made.status, Status::kOk);
    const Strides& strides = device.rqs.at(made.id())->strides;
    EXPECT_EQ(strides.log_count, log_strides);
    EXPECT_EQ(strides.log_bytes, 8U);
    EXPECT_EQ(strides.shift, 2U);
    const Answer told = run(command(Opcode::kQueryRq, made.id()));
    constexpr prm::Context kWq = prm::query_rq_out::rq_context / prm::rqc::wq;
    EXPECT_EQ(told.get(kWq / prm::wq::wq_type), 3U);
    EXPECT_EQ(told.get(kWq / prm::wq::single_wqe_log_num_of_strides),
              in.get(kRqWq / prm::wq::single_wqe_log_num_of_strides));
    EXPECT_EQ(told.get(kWq / prm::wq::single_stride_log_num_of_bytes), 2U);
    EXPECT_EQ(told.get(kWq / prm::wq::two_byte_shift_en), 1U);
  }
}
TEST_F(SoftcxQueue, rq_of_more_strides_than_completions_can_count) {
  EXPECT_REFUSED(run_with(striding_rq_command(), kRqWq / prm::wq::single_wqe_log_num_of_strides,
                          ringside::stride_count_field(14)),
                 kBadParameter, kStridesOutOfRange);
}
TEST_F(SoftcxQueue, rq_that_strides_has_wqes_of_all_sizes_that_hold_a_scatter_entry) {
  for (std::uint32_t log_stride = 4; log_stride <= 10; ++log_stride) {
    const Answer answer =
        run_with(striding_rq_command(), kRqWq / prm::wq::log_wq_stride, log_stride);
    if (log_stride >= 5 && log_stride <= 9) {
      EXPECT_DONE(answer);
    } else {
      EXPECT_REFUSED(answer, kBadParameter, kStrideOutOfRange);
    }
  }
}
TEST_F(SoftcxQueue, sq_does_not_stride) {
  EXPECT_REFUSED(sq_with(kSqWq / prm::wq::wq_type, 3), kBadParameter, kWqTypeUnsupported);
}
TEST_F(SoftcxQueue, rq_with_strides_that_does_not_stride) {
  for (const prm::Field field :
       {prm::wq::single_wqe_log_num_of_strides, prm::wq::single_stride_log_num_of_bytes,
        prm::wq::two_byte_shift_en}) {
    EXPECT_REFUSED(rq_with(kRqWq / field, 1), kBadParameter, kStridesOutOfRange);
  }
}
TEST_F(SoftcxQueue, rq_ring_off_its_large_page) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::log_wq_pg_sz, 2), kBadParameter, kRingMisaligned);
}
TEST_F(SoftcxQueue, rq_in_a_protection_domain_that_is_not_there) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::pd, 0xbad), kBadResource, kNoSuchPd);
}
TEST_F(SoftcxQueue, rq_with_real_time_stamps) {
  EXPECT_REFUSED(rq_with(kRqc / prm::rqc::ts_format, 2), kBadParameter, kFeatureUnsupported);
}
TEST_F(SoftcxQueue, rq_record_off_its_alignment) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::dbr_addr, kRecordOffset + 4), kBadParameter,
                 kRecordMisaligned);
}
TEST_F(SoftcxQueue, rq_that_is_ready_from_the_start) {
  EXPECT_REFUSED(rq_with(kRqc / prm::rqc::state, 1), kBadParameter, kCreatedNotInReset);
}
TEST_F(SoftcxQueue, rq_on_a_cq_that_is_not_there) {
  EXPECT_REFUSED(rq_with(kRqc / prm::rqc::cqn, 0xbad), kBadResource, kNoSuchCq);
}
TEST_F(SoftcxQueue, rq_that_counts_where_no_counter_is) {
  EXPECT_REFUSED(rq_with(kRqc / prm::rqc::counter_set_id, 7), kBadResource, kNoSuchQCounter);
}
TEST_F(SoftcxQueue, rq_ring_that_ends_outside_its_umem) {
  EXPECT_REFUSED(rq_with(kRqWq / prm::wq::log_wq_sz, 12), kBadParameter, kRingOutsideUmem);
}
TEST_F(SoftcxQueue, rq_with_features_that_are_not_among_the_capabilities) {
  for (const prm::Field field :
       {prm::rqc::hairpin, prm::rqc::mem_rq_type, prm::rqc::scatter_fcs, prm::rqc::delay_drop_en}) {
    EXPECT_REFUSED(rq_with(kRqc / field, 1), kBadParameter, kFeatureUnsupported);
  }
}

}  // namespace
}  // namespace softcx
