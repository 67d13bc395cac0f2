// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules for all commands, capabilities, and what refers to what.
#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_register.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

using SoftcxCommand = CommandTest;

TEST_F(SoftcxCommand, unknown_opcode_is_refused) {
  EXPECT_REFUSED(run(command(static_cast<Opcode>(0xfff))), kBadOpcode, kUnknownOpcode);
}

TEST_F(SoftcxCommand, register_access_is_refused_as_unknown) {
  EXPECT_REFUSED(run(command<0x40>(Opcode::kAccessRegister)), kBadOpcode, kUnknownOpcode);
}

TEST_F(SoftcxCommand, time_stamps_are_said_to_count_the_internal_timer) {
  auto in = command(Opcode::kAccessRegisterUser);
  in.set(prm::command_in::op_mod, prm::kRegisterRead);
  in.set(prm::access_register_in::register_id, prm::kMtutcRegister);
  const Answer answer = run(in);
  EXPECT_DONE(answer);
  constexpr prm::Context kMtutc{prm::access_register_out::kData, prm::mtutc::kSize};
  EXPECT_EQ(answer.get(kMtutc / prm::mtutc::time_stamp_mode),
            static_cast<std::uint32_t>(prm::TimestampMode::kInternalTimer));
  EXPECT_REFUSED(run_with(in, prm::access_register_in::register_id, 0x4030), kBadResource,
                 kNoSuchRegister);
  EXPECT_REFUSED(run_with(in, prm::command_in::op_mod, 0), kBadParameter, kRegisterReadOnly);
}

TEST_F(SoftcxCommand, input_shorter_than_a_command_is_refused) {
  const auto in = command(Opcode::kAllocPd);
  EXPECT_REFUSED(run(in.data(), 8), kBadInputLength, kInputTooShort);
}

TEST_F(SoftcxCommand, input_shorter_than_the_layout_is_refused) {
  const auto in = cq_command();
  EXPECT_REFUSED(run(in.data(), in.size() - 4), kBadInputLength, kInputTooShort);
}

TEST_F(SoftcxCommand, output_shorter_than_the_answer_is_refused) {
  const auto in = command(Opcode::kQueryHcaCap);
  EXPECT_REFUSED(run(in.data(), in.size(), 0x100), kBadOutputLength, kOutputTooShort);
}

TEST_F(SoftcxCommand, op_mod_of_a_command_without_variants_is_refused) {
  EXPECT_REFUSED(run_with(command(Opcode::kAllocPd), prm::command_in::op_mod, 1), kBadParameter,
                 kOpModNotZero);
}

TEST_F(SoftcxCommand, refused_command_leaves_no_part_of_an_answer) {
  Answer answer = run(command(Opcode::kQueryCq, 0xdead));
  for (std::size_t i = 8; i < answer.out.size(); ++i) ASSERT_EQ(answer.out[i], 0) << i;
}

TEST_F(SoftcxCommand, capabilities_agree_with_the_limits_that_are_held) {
  const Answer general = run(command(Opcode::kQueryHcaCap));
  EXPECT_DONE(general);
  constexpr prm::Context kCap = prm::query_hca_cap_out::capability;
  const std::uint32_t log_depth = general.get(kCap / prm::cmd_hca_cap::log_max_wq_sz);
  EXPECT_EQ(log_depth, 15U);
  EXPECT_EQ(run_with(sq_command(), prm::create_sq_in::ctx / prm::sqc::wq / prm::wq::log_wq_sz,
                     log_depth + 1)
                .rule,
            Rule::kSizeAboveLimit);
}

TEST_F(SoftcxCommand, capability_group_that_does_not_exist_is_refused) {
  EXPECT_REFUSED(run_with(command(Opcode::kQueryHcaCap), prm::command_in::op_mod, 0x3f << 1),
                 kBadParameter, kUnknownCapabilityGroup);
}

TEST_F(SoftcxCommand, features_that_are_not_modelled_are_not_among_the_capabilities) {
  constexpr prm::Context kCap = prm::query_hca_cap_out::capability;
  const Answer general = run(command(Opcode::kQueryHcaCap));
  EXPECT_EQ(general.get(kCap / prm::cmd_hca_cap::cqe_compression), 0U);
  EXPECT_EQ(general.get(kCap / prm::cmd_hca_cap::hairpin), 0U);
  EXPECT_EQ(general.get(kCap / prm::cmd_hca_cap::steering_format_version), 0U);
  const Answer ethernet =
      run_with(command(Opcode::kQueryHcaCap), prm::command_in::op_mod,
               static_cast<std::uint32_t>(prm::CapabilityGroup::kEthernetOffloads) << 1);
  EXPECT_EQ(ethernet.get(kCap / prm::ethernet_caps::lro_cap), 0U);
  EXPECT_EQ(ethernet.get(kCap / prm::ethernet_caps::max_lso_cap), 0U);
}

TEST_F(SoftcxCommand, transmit_steering_is_not_among_the_capabilities) {
  namespace nic = prm::flow_table_nic_cap;
  namespace cap = prm::flow_table_prop_layout;
  constexpr prm::Context kCap = prm::query_hca_cap_out::capability;
  const Answer answer =
      run_with(command(Opcode::kQueryHcaCap), prm::command_in::op_mod,
               static_cast<std::uint32_t>(prm::CapabilityGroup::kNicFlowTable) << 1);
  const auto receive = kCap / nic::flow_table_properties_nic_receive;
  const auto transmit = kCap / nic::flow_table_properties_nic_transmit;
  for (const prm::Field field :
       {cap::ft_support, cap::flow_tag, cap::flow_counter, cap::sw_owner}) {
    EXPECT_EQ(answer.get(receive / field), 1U);
    EXPECT_EQ(answer.get(transmit / field), 0U);
  }
}

TEST_F(SoftcxCommand, largest_mtu_is_told_as_far_as_its_field_goes) {
  constexpr prm::Field kMtu =
      prm::query_nic_vport_context_out::nic_vport_context / prm::nic_vport_context::mtu;
  device.mtu.store(9000);
  EXPECT_EQ(run(command(Opcode::kQueryNicVportContext)).get(kMtu), 9014U);
  device.mtu.store(65535);
  EXPECT_EQ(run(command(Opcode::kQueryNicVportContext)).get(kMtu), 65535U);
}

TEST_F(SoftcxCommand, vport_of_another_function_is_refused) {
  EXPECT_REFUSED(run_with(command(Opcode::kQueryNicVportContext),
                          prm::query_nic_vport_context_in::other_vport, 1),
                 kBadParameter, kFeatureUnsupported);
}

TEST_F(SoftcxCommand, objects_that_others_name_are_not_destroyed) {
  const std::uint32_t sq = run(sq_command()).id();
  const std::uint32_t rq = run(rq_command()).id();
  const std::uint32_t rqt = run(rqt_command(rq)).id();
  const std::uint32_t tir = run(tir_command(rq)).id();
  for (const auto& [opcode, id] : {std::pair{Opcode::kDestroyCq, cq},
                                   {Opcode::kDestroyTis, tis},
                                   {Opcode::kDeallocPd, pd},
                                   {Opcode::kDeallocTransportDomain, transport_domain},
                                   {Opcode::kDestroyRq, rq}}) {
    EXPECT_REFUSED(run(command(opcode, id)), kResourceBusy, kStillReferenced);
  }
  // And when nothing names them any more they are.
  for (const auto& [opcode, id] : {std::pair{Opcode::kDestroyTir, tir},
                                   {Opcode::kDestroyRqt, rqt},
                                   {Opcode::kDestroyRq, rq},
                                   {Opcode::kDestroySq, sq},
                                   {Opcode::kDestroyCq, cq},
                                   {Opcode::kDestroyTis, tis},
                                   {Opcode::kDeallocPd, pd},
                                   {Opcode::kDeallocTransportDomain, transport_domain}}) {
    EXPECT_EQ(destroyed(opcode, id), Status::kOk) << static_cast<int>(opcode);
  }
  EXPECT_EQ(device.umems.at(umem)->references, 0U);
}

TEST_F(SoftcxCommand, refused_creation_takes_no_references) {
  const std::uint32_t before = device.umems.at(umem)->references;
  run_with(sq_command(), prm::create_sq_in::ctx / prm::sqc::wq / prm::wq::log_wq_stride, 5);
  EXPECT_EQ(device.umems.at(umem)->references, before);
  EXPECT_EQ(device.cqs.at(cq)->references, 0U);
}

TEST_F(SoftcxCommand, destroying_twice_is_refused) {
  EXPECT_EQ(destroyed(Opcode::kDestroyCq, cq), Status::kOk);
  EXPECT_REFUSED(run(command(Opcode::kDestroyCq, cq)), kBadResource, kNoSuchCq);
}

TEST_F(SoftcxCommand, object_of_another_kind_is_not_found) {
  EXPECT_REFUSED(run(command(Opcode::kDestroyTis, cq)), kBadResource, kNoSuchTis);
}

TEST_F(SoftcxCommand, default_transport_domain_cannot_be_freed) {
  EXPECT_REFUSED(run(command(Opcode::kDeallocTransportDomain, 0)), kResourceBusy, kStillReferenced);
}

TEST_F(SoftcxCommand, uar_page_with_queues_stays) {
  const std::uint32_t page = add_uar(device)->page_id;
  const std::uint32_t sq =
      run_with(sq_command(), prm::create_sq_in::ctx / prm::sqc::wq / prm::wq::uar_page, page).id();
  EXPECT_FALSE(remove_uar(device, page));
  EXPECT_EQ(destroyed(Opcode::kDestroySq, sq), Status::kOk);
  EXPECT_TRUE(remove_uar(device, page));
}

TEST_F(SoftcxCommand, there_are_as_many_objects_of_a_kind_as_the_capabilities_say) {
  constexpr prm::Context kCap = prm::query_hca_cap_out::capability;
  const std::uint32_t most =
      1U << run(command(Opcode::kQueryHcaCap)).get(kCap / prm::cmd_hca_cap::log_max_pd);
  while (device.pds.size() < most) device.pds.emplace(device.allocate_id(), Domain{});
  EXPECT_REFUSED(run(command(Opcode::kAllocPd)), kNoResources, kTableFull);
  EXPECT_EQ(destroyed(Opcode::kDeallocPd, pd), Status::kOk);
  EXPECT_DONE(run(command(Opcode::kAllocPd)));
}

}  // namespace
}  // namespace softcx
