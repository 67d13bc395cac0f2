// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// DevX commands and objects, and what the kernel lets through of them.
#include <fcntl.h>
#include <poll.h>

#include <cstdlib>
#include <string>

#include "tests/unit/softcx_abi_fixture.hpp"

namespace softcx::test {
namespace {

/// The log is asked for once in the life of a process.
[[maybe_unused]] const int kLogIsOn = ::setenv("SOFTCX_LOG", "1", 1);

TEST_F(SoftcxAbi, refused_command_gives_eremoteio_and_its_status) {
  EXPECT_EQ(create_tis(0xbad), nullptr);
  EXPECT_EQ(errno, EREMOTEIO);
  EXPECT_EQ(out.get(prm::command_out::status), static_cast<unsigned>(prm::Status::kBadResource));
  EXPECT_NE(out.get(prm::command_out::syndrome), 0U);
}

TEST_F(SoftcxAbi, object_that_others_name_outlives_a_refused_destroy) {
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  mlx5dv_devx_obj* const tis = create_tis(created_id());
  ASSERT_NE(tis, nullptr);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(domain), EREMOTEIO);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(tis), 0);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(domain), 0);
}

TEST_F(SoftcxAbi, command_that_names_another_object_is_refused_by_the_kernel) {
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  const std::uint32_t number = created_id();
  mlx5dv_devx_obj* const first = create_tis(number);
  mlx5dv_devx_obj* const second = create_tis(number);
  const auto in = command(Opcode::kQueryTis, created_id());
  EXPECT_EQ(mlx5dv_devx_obj_query(second, in.data(), in.size(), out.data(), out.size()), 0);
  EXPECT_EQ(mlx5dv_devx_obj_query(first, in.data(), in.size(), out.data(), out.size()), EINVAL);
  EXPECT_EQ(mlx5dv_devx_obj_query(domain, in.data(), in.size(), out.data(), out.size()), EINVAL);
  for (auto* object : {first, second, domain}) mlx5dv_devx_obj_destroy(object);
}

TEST_F(SoftcxAbi, queries_do_not_modify_and_modifications_do_not_query) {
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  mlx5dv_devx_obj* const tis = create_tis(created_id());
  const auto in = command(Opcode::kQueryTis, created_id());
  EXPECT_EQ(mlx5dv_devx_obj_query(tis, in.data(), in.size(), out.data(), out.size()), 0);
  EXPECT_EQ(mlx5dv_devx_obj_modify(tis, in.data(), in.size(), out.data(), out.size()), EINVAL);
  for (auto* object : {tis, domain}) mlx5dv_devx_obj_destroy(object);
}

TEST_F(SoftcxAbi, objects_are_not_made_by_general_commands) {
  const auto in = command(Opcode::kAllocPd);
  EXPECT_EQ(mlx5dv_devx_general_cmd(context, in.data(), in.size(), out.data(), out.size()), EINVAL);
}

TEST_F(SoftcxAbi, command_that_makes_nothing_is_not_executed_as_a_creation) {
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  const std::uint32_t number = created_id();
  EXPECT_EQ(create(command(Opcode::kDeallocTransportDomain, number)), nullptr);
  EXPECT_EQ(errno, EINVAL);
  mlx5dv_devx_obj* const tis = create_tis(number);
  EXPECT_NE(tis, nullptr);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(tis), 0);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(domain), 0);
}

TEST_F(SoftcxAbi, general_command_cannot_free_what_has_an_owner) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  alignas(4096) static std::uint8_t buffer[4096];
  ibv_mr* const mr = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(mr, nullptr);
  const auto in = command(Opcode::kDestroyMkey, mr->lkey >> 8);
  EXPECT_EQ(mlx5dv_devx_general_cmd(context, in.data(), in.size(), out.data(), out.size()), EINVAL);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  ibv_dealloc_pd(pd);
}

TEST_F(SoftcxAbi, general_command_asks_for_capabilities) {
  const auto in = command(Opcode::kQueryHcaCap);
  prm::Mailbox<prm::query_hca_cap_out::kSize> answer;
  EXPECT_EQ(mlx5dv_devx_general_cmd(context, in.data(), in.size(), answer.data(), answer.size()),
            0);
}

TEST_F(SoftcxAbi, asynchronous_query_answers_through_its_descriptor) {
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  const std::uint32_t number = created_id();
  mlx5dv_devx_obj* const tis = create_tis(number);
  const auto in = command(Opcode::kQueryTis, created_id());
  mlx5dv_devx_cmd_comp* const completions = mlx5dv_devx_create_cmd_comp(context);
  ASSERT_EQ(::fcntl(completions->fd, F_SETFL, O_NONBLOCK), 0);

  alignas(8) std::uint8_t buffer[sizeof(mlx5dv_devx_async_cmd_hdr) + prm::query_tis_out::kSize];
  auto* const answer = reinterpret_cast<mlx5dv_devx_async_cmd_hdr*>(buffer);
  EXPECT_EQ(mlx5dv_devx_get_async_cmd_comp(completions, answer, sizeof buffer), EAGAIN);
  EXPECT_EQ(mlx5dv_devx_obj_query_async(tis, in.data(), in.size(), prm::query_tis_out::kSize, 77,
                                        completions),
            0);
  pollfd readable{completions->fd, POLLIN, 0};
  EXPECT_EQ(::poll(&readable, 1, 0), 1);
  EXPECT_EQ(mlx5dv_devx_get_async_cmd_comp(completions, answer, sizeof buffer), 0);
  EXPECT_EQ(answer->wr_id, 77U);
  EXPECT_EQ(
      prm::get(answer->out_data, prm::query_tis_out::tis_context / prm::tisc::transport_domain),
      number);
  EXPECT_EQ(::poll(&readable, 1, 0), 0);

  mlx5dv_devx_destroy_cmd_comp(completions);
  mlx5dv_devx_obj_destroy(tis);
  mlx5dv_devx_obj_destroy(domain);
}

TEST_F(SoftcxAbi, steering_domains_and_targets_are_of_known_kinds) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_FDB), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(mlx5dv_dr_domain_create(context, static_cast<mlx5dv_dr_domain_type>(3)), nullptr);
  EXPECT_EQ(errno, EINVAL);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* words : {"refused by steering.fdb", "refused by steering.domain-type"}) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  EXPECT_EQ(mlx5dv_dr_action_create_dest_devx_tir(domain), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mlx5dv_dr_action_create_flow_counter(domain, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(domain), 0);
}

}  // namespace
}  // namespace softcx::test
