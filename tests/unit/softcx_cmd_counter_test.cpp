// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Q counters and flow counters.
#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxCounter : public CommandTest {
 protected:
  auto query_q(std::uint32_t id, bool clear = false) const {
    auto in = command<prm::query_q_counter_in::kSize>(Opcode::kQueryQCounter);
    in.set(prm::query_q_counter_in::counter_set_id, id);
    in.set(prm::query_q_counter_in::clear, clear ? 1 : 0);
    return in;
  }
  std::uint32_t alloc_bulk(std::uint32_t bits) {
    auto in = command(Opcode::kAllocFlowCounter);
    in.set(prm::alloc_flow_counter_in::flow_counter_bulk, bits);
    return run(in).get(prm::alloc_flow_counter_out::flow_counter_id);
  }
  auto query_flow(std::uint32_t id, std::uint32_t count) const {
    auto in = command<prm::query_flow_counter_in::kSize>(Opcode::kQueryFlowCounter);
    in.set(prm::query_flow_counter_in::flow_counter_id, id);
    in.set(prm::query_flow_counter_in::num_of_counters, count);
    return in;
  }
};

TEST_F(SoftcxCounter, q_counter_tells_what_queues_dropped) {
  const std::uint32_t id =
      run(command(Opcode::kAllocQCounter)).get(prm::alloc_q_counter_out::counter_set_id);
  const std::uint32_t rqn =
      run_with(rq_command(), prm::create_rq_in::ctx / prm::rqc::counter_set_id, id).id();
  device.rqs.at(rqn)->counter->out_of_buffer.store(7);
  EXPECT_EQ(run(query_q(id)).get(prm::query_q_counter_out::out_of_buffer), 7U);
}

TEST_F(SoftcxCounter, cleared_q_counter_counts_from_zero_without_a_write_by_the_control_path) {
  const std::uint32_t id =
      run(command(Opcode::kAllocQCounter)).get(prm::alloc_q_counter_out::counter_set_id);
  QCounter& counter = *device.q_counters.at(id);
  counter.out_of_buffer.store(7);
  EXPECT_EQ(run(query_q(id, true)).get(prm::query_q_counter_out::out_of_buffer), 7U);
  EXPECT_EQ(run(query_q(id)).get(prm::query_q_counter_out::out_of_buffer), 0U);
  counter.out_of_buffer.store(9);
  EXPECT_EQ(run(query_q(id)).get(prm::query_q_counter_out::out_of_buffer), 2U);
}

TEST_F(SoftcxCounter, q_counter_that_a_queue_names_is_not_freed) {
  const std::uint32_t id =
      run(command(Opcode::kAllocQCounter)).get(prm::alloc_q_counter_out::counter_set_id);
  run_with(rq_command(), prm::create_rq_in::ctx / prm::rqc::counter_set_id, id);
  EXPECT_REFUSED(run(command(Opcode::kDeallocQCounter, id)), kResourceBusy, kStillReferenced);
}

TEST_F(SoftcxCounter, there_are_as_many_q_counters_as_eight_bits_name) {
  for (int i = 0; i < 255; ++i) EXPECT_DONE(run(command(Opcode::kAllocQCounter)));
  EXPECT_REFUSED(run(command(Opcode::kAllocQCounter)), kNoResources, kTableFull);
}

TEST_F(SoftcxCounter, bulk_is_numbered_through) {
  const std::uint32_t id = alloc_bulk(4);
  FlowCounterBulk& bulk = *device.flow_counters.at(id);
  ASSERT_EQ(bulk.count, 512U);
  bulk.counters[511].packets.store(3);
  bulk.counters[511].bytes.store(180);
  const Answer answer = run(query_flow(id + 511, 0));
  constexpr prm::Context kFirst = prm::query_flow_counter_out::flow_statistics;
  EXPECT_EQ(answer.get(kFirst / prm::traffic_counter::packets), 3U);
  EXPECT_EQ(answer.get(kFirst / prm::traffic_counter::octets), 180U);
}

TEST_F(SoftcxCounter, query_beyond_the_bulk_is_refused) {
  const std::uint32_t id = alloc_bulk(1);
  EXPECT_REFUSED(run(query_flow(id + 124, 8)), kBadParameter, kCounterOutOfRange);
  EXPECT_REFUSED(run(query_flow(id + 128, 0)), kBadResource, kNoSuchFlowCounter);
}

TEST_F(SoftcxCounter, bulk_is_queried_in_fours) {
  const std::uint32_t id = alloc_bulk(1);
  EXPECT_DONE(run(query_flow(id + 4, 8)));
  EXPECT_REFUSED(run(query_flow(id + 4, 6)), kBadParameter, kBulkQueryUnaligned);
  EXPECT_REFUSED(run(query_flow(id + 2, 4)), kBadParameter, kBulkQueryUnaligned);
}

TEST_F(SoftcxCounter, bulk_begins_with_a_four_whatever_was_allocated_before) {
  alloc_bulk(0);
  EXPECT_EQ(alloc_bulk(1) % 4, 0U);
}

TEST_F(SoftcxCounter, bulk_of_two_sizes_is_refused) {
  auto in = command(Opcode::kAllocFlowCounter);
  in.set(prm::alloc_flow_counter_in::flow_counter_bulk, 5);
  EXPECT_REFUSED(run(in), kBadParameter, kBulkNotOneBit);
}

TEST_F(SoftcxCounter, answer_that_is_too_short_for_the_counters_is_refused) {
  const auto in = query_flow(alloc_bulk(1), 4);
  EXPECT_REFUSED(run(in.data(), in.size(), 0x20), kBadOutputLength, kOutputTooShort);
}

TEST_F(SoftcxCounter, clear_leaves_the_other_counters) {
  const std::uint32_t id = alloc_bulk(1);
  for (int i : {0, 1}) device.flow_counters.at(id)->counters[i].packets.store(5);
  EXPECT_DONE(run_with(query_flow(id, 0), prm::query_flow_counter_in::clear, 1));
  const Answer answer = run(query_flow(id, 4));
  constexpr prm::Field64 kPackets =
      prm::query_flow_counter_out::flow_statistics / prm::traffic_counter::packets;
  EXPECT_EQ(answer.get(kPackets), 0U);
  EXPECT_EQ(answer.get(prm::Field64{kPackets.offset + 16}), 5U);
}

TEST_F(SoftcxCounter, counters_are_dumped_through_a_key) {
  const std::uint32_t lkey = run(key_command()).id() << 8 | 0x42;
  const std::uint32_t id = alloc_bulk(1);
  device.flow_counters.at(id)->counters[2].packets.store(11);
  auto in = query_flow(id, 128);
  in.set(prm::query_flow_counter_in::dump_to_memory, 1);
  in.set(prm::query_flow_counter_in::mkey, lkey);
  in.set(prm::query_flow_counter_in::address, kKeyAddress + 0x100);
  EXPECT_DONE(run(in));
  EXPECT_EQ(prm::get(memory.get() + 0x1100 + 32, prm::traffic_counter::packets), 11U);

  in.set(prm::query_flow_counter_in::address, kKeyAddress + 0x1000 - 16);
  EXPECT_REFUSED(run(in), kBadParameter, kDumpOutsideKey);
  in.set(prm::query_flow_counter_in::mkey, lkey + 1);
  EXPECT_REFUSED(run(in), kBadResource, kNoSuchMkey);
}

TEST_F(SoftcxCounter, flow_counter_that_steering_uses_is_not_freed) {
  const std::uint32_t id = alloc_bulk(1);
  device.flow_counters.at(id)->references = 1;
  auto in = command(Opcode::kDeallocFlowCounter);
  in.set(prm::dealloc_flow_counter_in::flow_counter_id, id);
  EXPECT_REFUSED(run(in), kResourceBusy, kStillReferenced);
}

TEST_F(SoftcxCounter, bulk_of_more_than_the_limit_is_refused) {
  auto in = command(Opcode::kAllocFlowCounter);
  in.set(prm::alloc_flow_counter_in::flow_counter_bulk_log_size, 18);
  EXPECT_REFUSED(run(in), kExceedsLimit, kSizeAboveLimit);
}

}  // namespace
}  // namespace softcx
