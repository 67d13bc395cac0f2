// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Devices, contexts, doorbell pages and clocks, by libibverbs and libmlx5.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <utility>

#include "tests/unit/softcx_abi_fixture.hpp"

namespace softcx::test {
namespace {

TEST_F(SoftcxAbi, devices_are_listed_with_the_paths_that_the_launcher_made) {
  int count = -1;
  ibv_device** const list = ibv_get_device_list(&count);
  ASSERT_EQ(count, 2);
  EXPECT_STREQ(ibv_get_device_name(list[1]), "mlx5_1");
  EXPECT_STREQ(list[1]->ibdev_path, "/nowhere/ib/mlx5_1");
  EXPECT_TRUE(mlx5dv_is_supported(list[0]));
  EXPECT_NE(ibv_get_device_guid(list[0]), ibv_get_device_guid(list[1]));
  EXPECT_EQ(list[2], nullptr);
  ibv_free_device_list(list);
}

TEST_F(SoftcxAbi, imported_context_shares_protection_domains) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  ibv_context* const other = ibv_import_device(::dup(context->cmd_fd));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->device, context->device);
  ibv_pd* const same = ibv_import_pd(other, pd->handle);
  ASSERT_NE(same, nullptr);
  const auto pdn_of = [](ibv_pd* of_pd) {
    mlx5dv_pd answer{};
    mlx5dv_obj object{};
    object.pd = {of_pd, &answer};
    EXPECT_EQ(mlx5dv_init_obj(&object, MLX5DV_OBJ_PD), 0);
    return answer.pdn;
  };
  EXPECT_EQ(pdn_of(pd), pdn_of(same));
  ibv_unimport_pd(same);
  ibv_close_device(other);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

TEST_F(SoftcxAbi, imported_protection_domain_is_not_the_importers_to_free) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  ibv_context* const other = ibv_import_device(::dup(context->cmd_fd));
  ibv_pd* const same = ibv_import_pd(other, pd->handle);
  EXPECT_EQ(ibv_dealloc_pd(same), EINVAL);
  ibv_pd* const again = ibv_import_pd(other, pd->handle);
  EXPECT_NE(again, nullptr);
  for (ibv_pd* imported : {same, again}) ibv_unimport_pd(imported);
  ibv_close_device(other);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

TEST_F(SoftcxAbi, protection_domain_of_another_open_file_cannot_be_imported) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  ibv_context* const other = open_port(0);
  errno = 0;
  EXPECT_EQ(ibv_import_pd(other, pd->handle), nullptr);
  EXPECT_EQ(errno, ENOENT);
  ibv_close_device(other);
  ibv_dealloc_pd(pd);
}

TEST_F(SoftcxAbi, foreign_descriptor_cannot_be_imported) {
  const int stranger = ::memfd_create("stranger", 0);
  errno = 0;
  EXPECT_EQ(ibv_import_device(stranger), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ::close(stranger);
}

TEST_F(SoftcxAbi, device_is_the_connectx_7_that_its_pci_function_is) {
  ibv_device_attr attr{};
  ASSERT_EQ(ibv_query_device(context, &attr), 0);
  EXPECT_EQ(attr.vendor_part_id, 0x1021U);
  EXPECT_EQ(std::string(attr.fw_ver).substr(0, 3), "28.");
}

TEST_F(SoftcxAbi, closing_frees_what_was_forgotten) {
  ibv_context* const forgetful = open_port(1);
  const auto in = command(Opcode::kAllocQCounter);
  const auto allocate = [&](ibv_context* on) {
    return mlx5dv_devx_obj_create(on, in.data(), in.size(), out.data(), out.size());
  };
  int made = 0;
  while (allocate(forgetful) != nullptr) ++made;
  EXPECT_EQ(made, 255);
  ibv_close_device(forgetful);
  ibv_context* const next = open_port(1);
  EXPECT_NE(allocate(next), nullptr);
  ibv_close_device(next);
}

/// A rule holds its TIR, and that all the rest: none of it may outlive the file, since the
/// application is free to unmap what the queue lies in.
TEST_F(SoftcxAbi, closing_frees_rules_and_what_they_lead_to) {
  ibv_context* const own = std::exchange(context, open_port(1));
  alignas(4096) static std::uint8_t buffer[12288];
  const std::uint32_t umem =
      mlx5dv_devx_umem_reg(context, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE)->umem_id;
  const std::uint32_t domain_number = make(command(Opcode::kAllocTransportDomain));
  const std::uint32_t pd = make(command(Opcode::kAllocPd));
  const std::uint32_t cq = make(cq_command(umem));
  mlx5dv_devx_obj* const tir = create(tir_command(domain_number, make(rq_command(umem, pd, cq))));
  ASSERT_NE(tir, nullptr);

  auto* const domain = mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
  auto* const root = mlx5dv_dr_table_create(domain, 0);
  auto* const table = mlx5dv_dr_table_create(domain, 1);
  mlx5dv_flow_match_parameters all{};
  const auto rule_to = [&](mlx5dv_dr_table* from, mlx5dv_dr_action* action) {
    return mlx5dv_dr_rule_create(mlx5dv_dr_matcher_create(from, 0, 0, &all), &all, 1, &action);
  };
  ASSERT_NE(rule_to(table, mlx5dv_dr_action_create_dest_devx_tir(tir)), nullptr);
  ASSERT_NE(rule_to(root, mlx5dv_dr_action_create_dest_table(table)), nullptr);
  ibv_close_device(context);

  context = open_port(1);
  EXPECT_EQ(create_tis(domain_number), nullptr) << "the TIR still holds its transport domain";
  ibv_close_device(std::exchange(context, own));
}

TEST_F(SoftcxAbi, non_cached_doorbell_page_is_one_a_context) {
  mlx5dv_devx_uar* const first = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
  mlx5dv_devx_uar* const second = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
  mlx5dv_devx_uar* const dedicated = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_BF);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->page_id, second->page_id);
  EXPECT_NE(first->page_id, dedicated->page_id);
  EXPECT_EQ(static_cast<std::uint8_t*>(first->reg_addr) - 0x800, first->base_addr);
  EXPECT_EQ(mlx5dv_devx_alloc_uar(context, 1U << 30), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  for (auto* uar : {first, second, dedicated}) mlx5dv_devx_free_uar(uar);
}

TEST_F(SoftcxAbi, shared_doorbell_page_goes_with_its_context) {
  const auto import_and_ring = [this] {
    ibv_context* const other = ibv_import_device(::dup(context->cmd_fd));
    void* const page = mlx5dv_devx_alloc_uar(other, MLX5DV_UAR_ALLOC_TYPE_NC)->base_addr;
    ibv_close_device(other);
    return page;
  };
  // A page that is unmapped is an address that cannot be waited on.
  unsigned char resident = 0;
  void* const page = import_and_ring();
  EXPECT_EQ(::mincore(page, 4096, &resident), -1);
  EXPECT_EQ(errno, ENOMEM);
}

TEST_F(SoftcxAbi, queues_by_verbs_are_refused) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  ibv_qp_init_attr attributes{};
  EXPECT_EQ(ibv_create_qp(pd, &attributes), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  ibv_wq_init_attr wq{};
  EXPECT_EQ(ibv_create_wq(context, &wq), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  ibv_dealloc_pd(pd);
}

TEST_F(SoftcxAbi, event_that_never_comes_is_not_promised) {
  mlx5dv_devx_event_channel* const channel = mlx5dv_devx_create_event_channel(
      context, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
  std::uint16_t event = 0;
  EXPECT_EQ(mlx5dv_devx_subscribe_devx_event(channel, nullptr, sizeof event, &event, 0),
            EOPNOTSUPP);
  mlx5dv_devx_destroy_event_channel(channel);
}

TEST_F(SoftcxAbi, device_clock_counts_nanoseconds) {
  const auto now = [this] {
    ibv_values_ex values{};
    values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    EXPECT_EQ(ibv_query_rt_values_ex(context, &values), 0);
    return values.raw_clock.tv_nsec;
  };
  const long before = now();
  ::usleep(1000);
  const long passed = now() - before;
  EXPECT_GE(passed, 1'000'000);
  EXPECT_LT(passed, 10'000'000'000);
}

TEST_F(SoftcxAbi, child_of_fork_has_no_devices) {
  const pid_t child = ::fork();
  if (child == 0) {
    int count = -1;
    ibv_get_device_list(&count);
    ::_exit(count);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace softcx::test
