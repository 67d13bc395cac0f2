// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Faults that are answers to commands.
#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_lag.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxCommandFault : public CommandTest {
 protected:
  std::uint32_t lag_state() {
    return run(command(Opcode::kQueryLag))
        .get(prm::query_lag_out::context / prm::lag_context::lag_state);
  }
  std::uint32_t capability(prm::CapabilityGroup group, prm::Field field) {
    return run_with(command(Opcode::kQueryHcaCap), prm::command_in::op_mod,
                    static_cast<std::uint32_t>(group) << 1)
        .get(prm::query_hca_cap_out::capability / field);
  }
  std::uint32_t inline_capability() {
    return capability(prm::CapabilityGroup::kEthernetOffloads, prm::ethernet_caps::wqe_inline_mode);
  }
};

TEST_F(SoftcxCommandFault, bond_shows_in_capabilities_and_lag_context) {
  EXPECT_EQ(capability(prm::CapabilityGroup::kGeneral, prm::cmd_hca_cap::lag_master), 0U);
  EXPECT_EQ(lag_state(), 0U);
  device.faults = parse_faults({"bond"}, 1);
  EXPECT_EQ(capability(prm::CapabilityGroup::kGeneral, prm::cmd_hca_cap::lag_master), 1U);
  EXPECT_EQ(capability(prm::CapabilityGroup::kGeneral, prm::cmd_hca_cap::num_lag_ports), 2U);
  EXPECT_EQ(lag_state(), 1U);
}

TEST_F(SoftcxCommandFault, minimum_inline_mode_is_the_vports_and_binds_every_send_queue) {
  EXPECT_EQ(inline_capability(), static_cast<std::uint32_t>(prm::InlineCapability::kNotRequired));
  device.faults = parse_faults({"min-inline:mode=2"}, 1);
  EXPECT_EQ(inline_capability(), static_cast<std::uint32_t>(prm::InlineCapability::kVportContext));
  EXPECT_EQ(capability(prm::CapabilityGroup::kEthernetOffloads,
                       prm::ethernet_caps::enhanced_multi_pkt_send_wqe),
            0U);
  const Answer vport = run(command(Opcode::kQueryNicVportContext));
  EXPECT_EQ(vport.get(prm::query_nic_vport_context_out::nic_vport_context /
                      prm::nic_vport_context::min_wqe_inline_mode),
            2U);
  EXPECT_EQ(device.sqs.at(run(sq_command()).id())->min_inline_mode, 2);
  EXPECT_REFUSED(
      run_with(sq_command(), prm::create_sq_in::ctx / prm::sqc::allow_multi_pkt_send_wqe, 1),
      kBadParameter, kFeatureUnsupported);
}

TEST_F(SoftcxCommandFault, queues_get_the_faults_of_their_kind) {
  device.faults = parse_faults({"tx-error,rx-error,cq-overrun"}, 1);
  EXPECT_EQ(device.sqs.at(run(sq_command()).id())->faults->size(), 2U);
  EXPECT_EQ(device.rqs.at(run(rq_command()).id())->faults->size(), 2U);
}

}  // namespace
}  // namespace softcx
