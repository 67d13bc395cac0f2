// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Two ports of a software NIC in the test's own process: libsoftcx.so, linked in place of
// libibverbs and libmlx5.
#pragma once

#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_command.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

namespace softcx::test {

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
inline const auto* const kTwoPorts = testing::AddGlobalTestEnvironment(new TwoPorts);

inline ibv_context* open_port(int port) {
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

}  // namespace softcx::test
