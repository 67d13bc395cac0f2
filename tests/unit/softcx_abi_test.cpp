// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The verbs ABI of libsoftcx.so, linked in place of libibverbs and libmlx5.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_command.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

// The header's macro mixes enumerations, which clang warns of; the function is what is tested.
#undef ibv_reg_mr

namespace {

namespace prm = ringside::prm;
using prm::Opcode;

/// What the launcher would have set up: two ports that swallow what they send.
class TwoPorts : public testing::Environment {
 public:
  void SetUp() override {
    path_ = testing::TempDir() + "/softcx_abi_test." + std::to_string(::getpid()) + ".json";
    std::ofstream(path_) << R"({"root": "/nowhere", "ports": [
      {"index": 0, "bdf": "0000:ca:00.0", "ibdev": "mlx5_0", "uverbs": "uverbs0",
       "netdev": "cx0", "wire": {"kind": "null"}},
      {"index": 1, "bdf": "0000:ca:00.1", "ibdev": "mlx5_1", "uverbs": "uverbs1",
       "netdev": "cx1", "wire": {"kind": "null"}}]})";
    ::setenv("SOFTCX_CONFIG", path_.c_str(), 1);
  }
  void TearDown() override { ::unlink(path_.c_str()); }

 private:
  std::string path_;
};
const auto* const kTwoPorts = testing::AddGlobalTestEnvironment(new TwoPorts);

ibv_context* open_port(int port) {
  ibv_device** const list = ibv_get_device_list(nullptr);
  mlx5dv_context_attr attributes{};
  attributes.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
  ibv_context* const context = mlx5dv_open_device(list[port], &attributes);
  ibv_free_device_list(list);
  return context;
}

class SoftcxAbi : public testing::Test {
 protected:
  ~SoftcxAbi() override { ibv_close_device(context); }

  template <std::size_t kSize = prm::command_in::kSize>
  static prm::Mailbox<kSize> command(Opcode opcode, std::uint32_t object = 0) {
    prm::Mailbox<kSize> in;
    in.set(prm::command_in::opcode, static_cast<std::uint32_t>(opcode));
    if (object != 0) in.set(prm::command_in::object_id, object);
    return in;
  }
  template <std::size_t kSize>
  mlx5dv_devx_obj* create(const prm::Mailbox<kSize>& in) {
    return mlx5dv_devx_obj_create(context, in.data(), in.size(), out.data(), out.size());
  }
  std::uint32_t created_id() const { return out.get(prm::command_out::object_id); }
  mlx5dv_devx_obj* create_tis(std::uint32_t transport_domain) {
    auto in = command<prm::create_tis_in::kSize>(Opcode::kCreateTis);
    in.set(prm::create_tis_in::ctx / prm::tisc::transport_domain, transport_domain);
    return create(in);
  }

  /// A new object's number.
  template <std::size_t kSize>
  std::uint32_t make(const prm::Mailbox<kSize>& in) {
    EXPECT_NE(create(in), nullptr);
    return created_id();
  }
  static constexpr std::uint64_t kRecords = 8192;  ///< in the umem of a queue, behind the rings
  auto cq_command(std::uint32_t umem) {
    namespace cqc = prm::cqc;
    constexpr prm::Context kCqc = prm::create_cq_in::cq_context;
    auto in = command<prm::create_cq_in::kSize>(Opcode::kCreateCq);
    in.set(kCqc / cqc::log_cq_size, 4);
    in.set(kCqc / cqc::uar_page, mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC)->page_id);
    in.set(kCqc / cqc::c_eqn, 1);
    in.set(kCqc / cqc::dbr_umem_valid, 1);
    in.set(kCqc / cqc::dbr_umem_id, umem);
    in.set(kCqc / cqc::dbr_addr, kRecords);
    in.set(prm::create_cq_in::cq_umem_valid, 1);
    in.set(prm::create_cq_in::cq_umem_id, umem);
    return in;
  }
  static auto rq_command(std::uint32_t umem, std::uint32_t pd, std::uint32_t cq) {
    namespace wq = prm::wq;
    constexpr prm::Context kWq = prm::create_rq_in::ctx / prm::rqc::wq;
    auto in = command<prm::create_rq_in::kSize>(Opcode::kCreateRq);
    in.set(prm::create_rq_in::ctx / prm::rqc::cqn, cq);
    in.set(kWq / wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclic));
    in.set(kWq / wq::pd, pd);
    in.set(kWq / wq::log_wq_stride, 4);
    in.set(kWq / wq::log_wq_sz, 4);
    in.set(kWq / wq::wq_umem_valid, 1);
    in.set(kWq / wq::wq_umem_id, umem);
    in.set(kWq / wq::wq_umem_offset, 4096);
    in.set(kWq / wq::dbr_umem_valid, 1);
    in.set(kWq / wq::dbr_umem_id, umem);
    in.set(kWq / wq::dbr_addr, kRecords + 64);
    return in;
  }
  static auto tir_command(std::uint32_t transport_domain, std::uint32_t rqn) {
    auto in = command<prm::create_tir_in::kSize>(Opcode::kCreateTir);
    in.set(prm::create_tir_in::ctx / prm::tirc::transport_domain, transport_domain);
    in.set(prm::create_tir_in::ctx / prm::tirc::inline_rqn, rqn);
    return in;
  }

  ibv_context* context = open_port(0);
  prm::Mailbox<prm::query_tis_out::kSize> out;
};

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

TEST_F(SoftcxAbi, steering_domains_and_targets_are_of_known_kinds) {
  EXPECT_EQ(mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_FDB), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(mlx5dv_dr_domain_create(context, static_cast<mlx5dv_dr_domain_type>(3)), nullptr);
  EXPECT_EQ(errno, EINVAL);
  mlx5dv_devx_obj* const domain = create(command(Opcode::kAllocTransportDomain));
  EXPECT_EQ(mlx5dv_dr_action_create_dest_devx_tir(domain), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mlx5dv_dr_action_create_flow_counter(domain, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(domain), 0);
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

TEST_F(SoftcxAbi, memory_regions_take_what_the_kernel_takes) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  alignas(4096) static std::uint8_t buffer[8192];
  ibv_mr* const mr = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(mr->lkey, mr->rkey);
  EXPECT_EQ(mr->addr, buffer);
  EXPECT_EQ(ibv_dealloc_pd(pd), EBUSY);
  EXPECT_EQ(ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_REMOTE_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_ON_DEMAND), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);

  void* const gone = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(ibv_reg_mr(pd, gone, 4096, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, EFAULT);
  ::munmap(gone, 4096);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

TEST_F(SoftcxAbi, umem_stays_while_a_key_lies_in_it) {
  alignas(4096) static std::uint8_t buffer[4096];
  mlx5dv_devx_umem* const umem =
      mlx5dv_devx_umem_reg(context, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(umem, nullptr);
  mlx5dv_devx_obj* const pd = create(command(Opcode::kAllocPd));
  constexpr prm::Context kMkc = prm::create_mkey_in::memory_key_mkey_entry;
  auto in = command<prm::create_mkey_in::kSize>(Opcode::kCreateMkey);
  in.set(prm::create_mkey_in::mkey_umem_id, umem->umem_id);
  in.set(kMkc / prm::mkc::access_mode_1_0, static_cast<unsigned>(prm::MkeyAccessMode::kMtt));
  in.set(kMkc / prm::mkc::pd, created_id());
  in.set(kMkc / prm::mkc::qpn, 0xffffff);
  in.set(kMkc / prm::mkc::len, sizeof buffer);
  in.set(kMkc / prm::mkc::log_page_size, 12);
  in.set(kMkc / prm::mkc::translations_octword_size, 1);
  in.set(prm::create_mkey_in::translations_octword_actual_size, 1);
  mlx5dv_devx_obj* const key = create(in);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), EBUSY);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(key), 0);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), 0);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(pd), 0);
}

TEST_F(SoftcxAbi, umem_needs_a_page_size_up_to_its_length) {
  alignas(4096) static std::uint8_t buffer[8192];
  mlx5dv_devx_umem_in in{};
  in.addr = buffer;
  in.size = sizeof buffer;
  for (const std::uint64_t sizes : {0x0ULL, 0xfffULL, 0x4000ULL}) {
    in.pgsz_bitmap = sizes;
    EXPECT_EQ(mlx5dv_devx_umem_reg_ex(context, &in), nullptr) << sizes;
    EXPECT_EQ(errno, EINVAL);
  }
  in.pgsz_bitmap = 0x2000;
  mlx5dv_devx_umem* const umem = mlx5dv_devx_umem_reg_ex(context, &in);
  ASSERT_NE(umem, nullptr);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), 0);
  in.size = 0;
  EXPECT_EQ(mlx5dv_devx_umem_reg_ex(context, &in), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(SoftcxAbi, dmabuf_must_have_its_address_at_the_same_place_in_a_page) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  const int file = ::memfd_create("buffer", 0);
  ASSERT_EQ(::ftruncate(file, 16384), 0);
  EXPECT_EQ(ibv_reg_dmabuf_mr(pd, 4096, 4096, 0x10008, file, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_mr* const mr = ibv_reg_dmabuf_mr(pd, 4096, 4096, 0x10000, file, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  ::close(file);
  ibv_dealloc_pd(pd);
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
