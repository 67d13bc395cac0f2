// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/domain.hpp"

#include <infiniband/mlx5dv.h>

#include <cerrno>

#include "lib/mlx5/format/prm_tis.hpp"

namespace ringside::mlx5 {

namespace {

auto tis_command(const TransportDomain& domain) {
  auto in = command<prm::create_tis_in::kSize>(prm::Opcode::kCreateTis);
  in.set(prm::create_tis_in::ctx / prm::tisc::transport_domain, domain.number());
  return in;
}

}  // namespace

Pd::Pd(const Context& context) : pd_(ibv_alloc_pd(context.get())) {
  if (pd_ == nullptr) {
    throw Error(fmt::format("{}: no protection domain, {}", context.name(), errno_text(errno)), "");
  }
  mlx5dv_pd exported{};
  mlx5dv_obj object{};
  object.pd.in = pd_.get();
  object.pd.out = &exported;
  if (const int rc = mlx5dv_init_obj(&object, MLX5DV_OBJ_PD); rc != 0) {
    throw Error(fmt::format("{}: protection domain without a number, {}", context.name(),
                            errno_text(rc < 0 ? -rc : rc)),
                "rdma-core 25 or later is needed");
  }
  number_ = exported.pdn;
}

TransportDomain::TransportDomain(const Context& context)
    : object_(context, "transport domain",
              command<prm::command_in::kSize>(prm::Opcode::kAllocTransportDomain), answer_) {}

Tis::Tis(const Context& context, const TransportDomain& domain)
    : object_(context, "transport interface", tis_command(domain), answer_) {}

}  // namespace ringside::mlx5
