// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// RQT, TIR and TIS.
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxReceive : public CommandTest {
 protected:
  static constexpr prm::Context kTirc = prm::create_tir_in::ctx;
  static constexpr prm::Context kSelector = kTirc / prm::tirc::rx_hash_field_selector_outer;

  SoftcxReceive() {
    for (std::uint32_t& rqn : rq) rqn = run(rq_command()).id();
  }
  auto modify_rqt_command(std::uint32_t rqtn, std::uint32_t rqn) const {
    auto in = command<prm::modify_rqt_in::kSize + 4>(Opcode::kModifyRqt, rqtn);
    in.set(prm::modify_rqt_in::modify_bitmask, prm::modify_rqt_in::kQueueList);
    in.set(prm::modify_rqt_in::rqt_context / prm::rqtc::rqt_actual_size, 1);
    in.set(prm::modify_rqt_in::rqt_context / prm::rqtc::rq_num(0), rqn);
    return in;
  }

  std::uint32_t rq[2];
};

TEST_F(SoftcxReceive, table_lists_its_queues_in_order) {
  const std::uint32_t rqtn = run(rqt_command(rq[0], rq[1], rq[1], rq[0])).id();
  const auto& queues = *device.rqts.at(rqtn)->queues.load();
  ASSERT_EQ(queues.size(), 4U);
  EXPECT_EQ(queues[0]->rqn, rq[0]);
  EXPECT_EQ(queues[2]->rqn, rq[1]);
}

TEST_F(SoftcxReceive, table_of_three_is_refused) {
  EXPECT_REFUSED(run(rqt_command(rq[0], rq[1], rq[0])), kBadParameter, kTableSizeNotPowerOfTwo);
}

TEST_F(SoftcxReceive, empty_table_is_refused) {
  EXPECT_REFUSED(run(rqt_command()), kBadParameter, kTableSizeNotPowerOfTwo);
}

TEST_F(SoftcxReceive, table_above_the_limit_is_refused) {
  EXPECT_REFUSED(run_with(rqt_command(rq[0]),
                          prm::create_rqt_in::rqt_context / prm::rqtc::rqt_actual_size, 1024),
                 kExceedsLimit, kSizeAboveLimit);
}

TEST_F(SoftcxReceive, table_longer_than_its_command_is_refused) {
  auto in = rqt_command(rq[0]);
  in.set(prm::create_rqt_in::rqt_context / prm::rqtc::rqt_max_size, 2);
  EXPECT_REFUSED(run_with(in, prm::create_rqt_in::rqt_context / prm::rqtc::rqt_actual_size, 2),
                 kBadInputLength, kListTooShort);
}

TEST_F(SoftcxReceive, table_that_could_grow_above_the_limit_is_refused) {
  EXPECT_REFUSED(
      run_with(rqt_command(rq[0]), prm::create_rqt_in::rqt_context / prm::rqtc::rqt_max_size, 513),
      kExceedsLimit, kSizeAboveLimit);
}

TEST_F(SoftcxReceive, table_never_has_more_queues_than_it_was_created_for) {
  EXPECT_REFUSED(run_with(rqt_command(rq[0], rq[1]),
                          prm::create_rqt_in::rqt_context / prm::rqtc::rqt_max_size, 1),
                 kBadParameter, kTableAboveItsMaximum);
  const std::uint32_t rqtn = run(rqt_command(rq[0])).id();
  auto in = command<prm::modify_rqt_in::kSize + 8>(Opcode::kModifyRqt, rqtn);
  in.set(prm::modify_rqt_in::modify_bitmask, prm::modify_rqt_in::kQueueList);
  for (const std::uint32_t i : {0, 1}) {
    in.set(prm::modify_rqt_in::rqt_context / prm::rqtc::rq_num(i), rq[i]);
  }
  EXPECT_REFUSED(run_with(in, prm::modify_rqt_in::rqt_context / prm::rqtc::rqt_actual_size, 2),
                 kBadParameter, kTableAboveItsMaximum);
}

TEST_F(SoftcxReceive, table_of_something_else_than_queues_is_refused) {
  EXPECT_REFUSED(
      run_with(rqt_command(rq[0]), prm::create_rqt_in::rqt_context / prm::rqtc::list_q_type, 1),
      kBadParameter, kFeatureUnsupported);
}

TEST_F(SoftcxReceive, modification_of_something_else_than_the_list_is_refused) {
  const std::uint32_t rqtn = run(rqt_command(rq[0])).id();
  auto in = modify_rqt_command(rqtn, rq[1]);
  in.set(prm::modify_rqt_in::modify_bitmask, 2);
  EXPECT_REFUSED(run(in), kBadParameter, kModifyUnsupported);
  EXPECT_REFUSED(run(modify_rqt_command(0xbad, rq[1])), kBadResource, kNoSuchRqt);
}

TEST_F(SoftcxReceive, table_of_a_queue_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run(rqt_command(rq[0], 0xbadU)), kBadResource, kNoSuchRq);
  EXPECT_EQ(device.rqs.at(rq[0])->references, 0U);
}

TEST_F(SoftcxReceive, modified_table_lets_go_of_the_queues_before) {
  const std::uint32_t rqtn = run(rqt_command(rq[0])).id();
  const int before = engine.synchronized;
  EXPECT_DONE(run(modify_rqt_command(rqtn, rq[1])));
  EXPECT_EQ(engine.synchronized, before + 1);
  EXPECT_EQ(device.receive_queues.load()->size(), 2U) << "where the engine finds them";
  EXPECT_EQ(destroyed(Opcode::kDestroyRq, rq[0]), Status::kOk);
  EXPECT_EQ(*device.receive_queues.load(), std::vector{device.rqs.at(rq[1]).get()});
  EXPECT_EQ(destroyed(Opcode::kDestroyRq, rq[1]), Status::kResourceBusy);
}

TEST_F(SoftcxReceive, refused_modification_keeps_the_table) {
  const std::uint32_t rqtn = run(rqt_command(rq[0])).id();
  EXPECT_REFUSED(run(modify_rqt_command(rqtn, 0xbad)), kBadResource, kNoSuchRq);
  EXPECT_EQ(device.rqts.at(rqtn)->queues.load()->front()->rqn, rq[0]);
}

TEST_F(SoftcxReceive, hashing_target_keeps_all_that_was_set) {
  const std::uint32_t rqtn = run(rqt_command(rq[0], rq[1])).id();
  auto in = tir_command(0);
  in.set(kTirc / prm::tirc::disp_type, 1);
  in.set(kTirc / prm::tirc::indirect_table, rqtn);
  in.set(kTirc / prm::tirc::rx_hash_fn, 2);
  in.set(kTirc / prm::tirc::rx_hash_symmetric, 1);
  in.set(kSelector / prm::rx_hash_field_select::l4_prot_type, 1);
  in.set(kSelector / prm::rx_hash_field_select::selected_fields, 0xf);
  in.at((kTirc / prm::tirc::rx_hash_toeplitz_key).offset)[39] = 0x5a;
  const Tir& tir = *device.tirs.at(run(in).id());
  EXPECT_TRUE(tir.indirect && tir.toeplitz && tir.symmetric && tir.l4_udp && !tir.l3_ipv6);
  EXPECT_EQ(tir.rqt->rqtn, rqtn);
  EXPECT_EQ(tir.hash_fields, 0xfU);
  EXPECT_EQ(tir.hash_key[39], 0x5a);
}

TEST_F(SoftcxReceive, target_of_a_queue_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run(tir_command(0xbad)), kBadResource, kNoSuchRq);
}

TEST_F(SoftcxReceive, target_of_a_table_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run_with(tir_command(0), kTirc / prm::tirc::disp_type, 1), kBadResource,
                 kNoSuchRqt);
}

TEST_F(SoftcxReceive, target_in_a_domain_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run_with(tir_command(rq[0]), kTirc / prm::tirc::transport_domain, 0xbad),
                 kBadResource, kNoSuchTransportDomain);
}

TEST_F(SoftcxReceive, unknown_disposition_is_refused) {
  EXPECT_REFUSED(run_with(tir_command(rq[0]), kTirc / prm::tirc::disp_type, 2), kBadParameter,
                 kDispositionUnknown);
}

TEST_F(SoftcxReceive, hash_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run_with(tir_command(rq[0]), kTirc / prm::tirc::rx_hash_fn, 1), kBadParameter,
                 kHashUnsupported);
  EXPECT_REFUSED(
      run_with(tir_command(rq[0]), kSelector / prm::rx_hash_field_select::selected_fields, 1U << 5),
      kBadParameter, kHashUnsupported);
}

TEST_F(SoftcxReceive, target_hashes_the_headers_inside_a_tunnel) {
  constexpr prm::Context kInner = kTirc / prm::tirc::rx_hash_field_selector_inner;
  auto in = tir_command(rq[0]);
  in.set(kInner / prm::rx_hash_field_select::selected_fields, 3);
  in.set(kInner / prm::rx_hash_field_select::l3_prot_type, 1);
  const Tir& tir = *device.tirs.at(run(in).id());
  EXPECT_TRUE(tir.hash_inner && tir.l3_ipv6);
  EXPECT_EQ(tir.hash_fields, 3U);
  EXPECT_REFUSED(run_with(in, kSelector / prm::rx_hash_field_select::selected_fields, 3),
                 kBadParameter, kHashUnsupported);
}

TEST_F(SoftcxReceive, large_receive_offload_is_refused) {
  EXPECT_REFUSED(run_with(tir_command(rq[0]), kTirc / prm::tirc::lro_enable_mask, 1), kBadParameter,
                 kFeatureUnsupported);
}

TEST_F(SoftcxReceive, target_that_steering_uses_is_not_destroyed) {
  const std::uint32_t tirn = run(tir_command(rq[0])).id();
  device.tirs.at(tirn)->references = 1;
  EXPECT_REFUSED(run(command(Opcode::kDestroyTir, tirn)), kResourceBusy, kStillReferenced);
  device.tirs.at(tirn)->references = 0;
  EXPECT_EQ(destroyed(Opcode::kDestroyTir, tirn), Status::kOk);
}

TEST_F(SoftcxReceive, target_or_table_that_is_not_there_is_not_destroyed) {
  EXPECT_REFUSED(run(command(Opcode::kDestroyTir, 0xbad)), kBadResource, kNoSuchTir);
  EXPECT_REFUSED(run(command(Opcode::kDestroyRqt, 0xbad)), kBadResource, kNoSuchRqt);
}

TEST_F(SoftcxReceive, tis_tells_its_transport_domain) {
  EXPECT_EQ(run(command(Opcode::kQueryTis, tis))
                .get(prm::query_tis_out::tis_context / prm::tisc::transport_domain),
            transport_domain);
}

TEST_F(SoftcxReceive, tis_in_a_domain_that_is_not_there_is_refused) {
  EXPECT_REFUSED(
      run_with(tis_command(), prm::create_tis_in::ctx / prm::tisc::transport_domain, 0xbad),
      kBadResource, kNoSuchTransportDomain);
}

TEST_F(SoftcxReceive, tis_of_a_port_that_the_bond_does_not_have_is_refused) {
  constexpr prm::Field kPort = prm::create_tis_in::ctx / prm::tisc::lag_tx_port_affinity;
  EXPECT_REFUSED(run_with(tis_command(), kPort, 1), kBadParameter, kLagPortUnknown);
  device.faults = parse_faults({"bond"}, 1);
  EXPECT_DONE(run_with(tis_command(), kPort, 2));
  EXPECT_REFUSED(run_with(tis_command(), kPort, 3), kBadParameter, kLagPortUnknown);
}

TEST_F(SoftcxReceive, tis_of_an_underlay_queue_pair_is_refused) {
  EXPECT_REFUSED(run_with(tis_command(), prm::create_tis_in::ctx / prm::tisc::underlay_qpn, 1),
                 kBadParameter, kFeatureUnsupported);
}

}  // namespace
}  // namespace softcx
