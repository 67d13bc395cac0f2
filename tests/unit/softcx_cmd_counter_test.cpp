// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Q counters, flow counters and the keys that they are dumped through.
#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxCounter : public CommandTest {
 protected:
  static constexpr prm::Context kMkc = prm::create_mkey_in::memory_key_mkey_entry;
  static constexpr std::uint64_t kKeyAddress = 0x7000'0000;
  static constexpr std::uint64_t kIndirectAddress = 0x9000'0000;

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
  auto key_command() const {
    auto in = command<prm::create_mkey_in::kSize>(Opcode::kCreateMkey);
    in.set(prm::create_mkey_in::mkey_umem_id, umem);
    in.set(prm::create_mkey_in::mkey_umem_offset, 0x1000);
    in.set(kMkc / prm::mkc::access_mode_1_0, 1);
    in.set(kMkc / prm::mkc::lw, 1);
    in.set(kMkc / prm::mkc::lr, 1);
    in.set(kMkc / prm::mkc::pd, pd);
    in.set(kMkc / prm::mkc::mkey_7_0, 0x42);
    in.set(kMkc / prm::mkc::start_addr, kKeyAddress);
    in.set(kMkc / prm::mkc::len, 0x1000);
    return in;
  }
  /// `bytes` from 0x100 of `parent` on, at an address of its own; padded as the PMD pads.
  auto indirect_command(std::uint32_t parent, std::uint32_t bytes) const {
    constexpr prm::Context kEntry{prm::create_mkey_in::kSize, prm::klm::kSize};
    auto in = command<prm::create_mkey_in::kSize + 4 * prm::klm::kSize>(Opcode::kCreateMkey);
    in.set(prm::create_mkey_in::translations_octword_actual_size, 4);
    in.set(kMkc / prm::mkc::access_mode_1_0, 2);
    in.set(kMkc / prm::mkc::lw, 1);
    in.set(kMkc / prm::mkc::pd, pd);
    in.set(kMkc / prm::mkc::start_addr, kIndirectAddress);
    in.set(kMkc / prm::mkc::len, bytes);
    in.set(kEntry / prm::klm::byte_count, bytes);
    in.set(kEntry / prm::klm::mkey, parent);
    in.set(kEntry / prm::klm::address, kKeyAddress + 0x100);
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
  const Answer answer = run(query_flow(id + 511, 1));
  constexpr prm::Context kFirst = prm::query_flow_counter_out::flow_statistics;
  EXPECT_EQ(answer.get(kFirst / prm::traffic_counter::packets), 3U);
  EXPECT_EQ(answer.get(kFirst / prm::traffic_counter::octets), 180U);
}

TEST_F(SoftcxCounter, query_beyond_the_bulk_is_refused) {
  const std::uint32_t id = alloc_bulk(1);
  EXPECT_REFUSED(run(query_flow(id + 127, 2)), kBadParameter, kCounterOutOfRange);
  EXPECT_REFUSED(run(query_flow(id + 128, 1)), kBadResource, kNoSuchFlowCounter);
}

TEST_F(SoftcxCounter, answer_that_is_too_short_for_the_counters_is_refused) {
  const auto in = query_flow(alloc_bulk(1), 2);
  EXPECT_REFUSED(run(in.data(), in.size(), 0x20), kBadOutputLength, kOutputTooShort);
}

TEST_F(SoftcxCounter, clear_leaves_the_other_counters) {
  const std::uint32_t id = alloc_bulk(1);
  for (int i : {0, 1}) device.flow_counters.at(id)->counters[i].packets.store(5);
  EXPECT_DONE(run_with(query_flow(id, 1), prm::query_flow_counter_in::clear, 1));
  const Answer answer = run(query_flow(id, 2));
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

TEST_F(SoftcxCounter, key_reaches_its_part_of_the_umem_and_no_further) {
  const std::uint32_t lkey = run(key_command()).id() << 8 | 0x42;
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 0x1000, true).bytes, memory.get() + 0x1000);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 0x1001, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress - 1, 1, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd + 1, kKeyAddress, 1, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey ^ 1, pd, kKeyAddress, 1, true).bytes, nullptr);
}

TEST_F(SoftcxCounter, key_without_local_write_is_not_written) {
  const std::uint32_t lkey = run_with(key_command(), kMkc / prm::mkc::lw, 0).id() << 8 | 0x42;
  EXPECT_NE(device.translate(lkey, pd, kKeyAddress, 1, false).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 1, true).bytes, nullptr);
}

TEST_F(SoftcxCounter, key_outside_its_umem_is_refused) {
  EXPECT_REFUSED(run_with(key_command(), kMkc / prm::mkc::len, kUmemBytes), kBadParameter,
                 kKeyOutsideMemory);
}

TEST_F(SoftcxCounter, key_with_more_rights_than_its_umem_is_refused) {
  EXPECT_REFUSED(run_with(key_command(), prm::create_mkey_in::mkey_umem_id, add_umem(false)),
                 kBadParameter, kKeyRightsAboveMemory);
}

TEST_F(SoftcxCounter, key_of_an_unknown_mode_is_refused) {
  EXPECT_REFUSED(run_with(key_command(), kMkc / prm::mkc::access_mode_1_0, 3), kBadParameter,
                 kAccessModeUnsupported);
}

TEST_F(SoftcxCounter, indirect_key_reaches_a_part_of_its_parent) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  const std::uint32_t index = run(indirect_command(parent, 0x200)).id();
  const std::uint32_t lkey = index << 8;
  EXPECT_EQ(device.translate(lkey, pd, kIndirectAddress + 0x10, 0x1f0, true).bytes,
            memory.get() + 0x1000 + 0x100 + 0x10);
  EXPECT_EQ(device.translate(lkey, pd, kIndirectAddress, 0x201, true).bytes, nullptr);

  EXPECT_REFUSED(run(command(Opcode::kDestroyMkey, parent >> 8)), kResourceBusy, kStillReferenced);
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, index), Status::kOk);
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, parent >> 8), Status::kOk);
}

TEST_F(SoftcxCounter, indirect_key_beyond_its_parent_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  EXPECT_REFUSED(run(indirect_command(parent, 0xf01)), kBadParameter, kKeyOutsideMemory);
}

TEST_F(SoftcxCounter, indirect_key_longer_than_its_list_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  auto in = indirect_command(parent, 0x200);
  in.set(kMkc / prm::mkc::len, 0x201);
  EXPECT_REFUSED(run(in), kBadParameter, kKeyOutsideMemory);
}

TEST_F(SoftcxCounter, indirect_key_of_a_key_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run(indirect_command(0xbad00, 0x200)), kBadResource, kNoSuchMkey);
}

TEST_F(SoftcxCounter, indirect_key_with_a_list_longer_than_its_command_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  EXPECT_REFUSED(run_with(indirect_command(parent, 0x200),
                          prm::create_mkey_in::translations_octword_actual_size, 5),
                 kBadInputLength, kInputTooShort);
}

TEST_F(SoftcxCounter, destroyed_key_is_unknown_and_its_umem_free) {
  const std::uint32_t index = run(key_command()).id();
  const std::uint32_t references = device.umems.at(umem)->references;
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, index), Status::kOk);
  EXPECT_EQ(device.translate(index << 8 | 0x42, pd, kKeyAddress, 1, false).bytes, nullptr);
  EXPECT_EQ(device.umems.at(umem)->references, references - 1);
  EXPECT_REFUSED(run(command(Opcode::kDestroyMkey, index)), kBadResource, kNoSuchMkey);
}

}  // namespace
}  // namespace softcx
