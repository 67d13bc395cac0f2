// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A doorbell page. Pages may be shared between queues, also of other users of the context:
// rdma-core gives all callers one page where it cannot dedicate one, so queues must not count on a
// page alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lib/mlx5/context.hpp"
#include "lib/mlx5/format/queue.hpp"

struct mlx5dv_devx_uar;

namespace ringside::mlx5 {

class Uar {
 public:
  /// kBlueFlame: a page of its own whose mapping combines writes; a regular one where there is
  /// none, as in some virtual machines: kind() and refusal() say so. Throws Error.
  explicit Uar(const Context& context, DoorbellKind kind = DoorbellKind::kRegular);
  DoorbellKind kind() const noexcept { return kind_; }
  /// Why it is not of the kind that was asked for, in words; empty: it is.
  const std::string& refusal() const noexcept { return refusal_; }
  std::uint32_t page_id() const noexcept;
  /// The 8-byte send doorbell: the first half of the last WQE's control segment is stored here.
  std::uint64_t* doorbell() const noexcept;

 private:
  struct Free {
    void operator()(mlx5dv_devx_uar* uar) const noexcept;
  };
  DoorbellKind kind_;
  std::string refusal_;
  std::unique_ptr<mlx5dv_devx_uar, Free> uar_;
};

}  // namespace ringside::mlx5
