// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/uar.hpp"

#include <infiniband/mlx5dv.h>

#include <cerrno>

namespace ringside::mlx5 {

namespace {

/// Allocation type NC_DEDICATED, by number: headers before rdma-core 45 do not have it, and the
/// library that runs may be newer than the headers.
constexpr std::uint32_t kNonCachedDedicated = 1U << 31;

}  // namespace

void Uar::Free::operator()(mlx5dv_devx_uar* uar) const noexcept {
  mlx5dv_devx_free_uar(uar);
}

Uar::Uar(const Context& context, DoorbellKind kind) : kind_(kind) {
  const auto allocate = [&](std::uint32_t type) {
    uar_.reset(mlx5dv_devx_alloc_uar(context.get(), type));
  };
  if (kind == DoorbellKind::kBlueFlame) {
    allocate(MLX5DV_UAR_ALLOC_TYPE_BF);
    if (uar_ == nullptr) {
      kind_ = DoorbellKind::kRegular;
      refusal_ = fmt::format("{} has no doorbell page that combines writes, {}", context.name(),
                             errno_text(errno));
    }
  }
  if (uar_ == nullptr) {
    allocate(kNonCachedDedicated);
    if (uar_ == nullptr) allocate(MLX5DV_UAR_ALLOC_TYPE_NC);
  }
  if (uar_ == nullptr) {
    throw Error(fmt::format("{}: no doorbell page (UAR), {}", context.name(), errno_text(errno)),
                "end other programs that use the device");
  }
}

std::uint32_t Uar::page_id() const noexcept {
  return uar_->page_id;
}

std::uint64_t* Uar::doorbell() const noexcept {
  return static_cast<std::uint64_t*>(uar_->reg_addr);
}

}  // namespace ringside::mlx5
