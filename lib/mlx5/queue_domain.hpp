// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What all queues that Ringside makes on a device share, made once.
#pragma once

#include <cstdint>

#include "lib/mlx5/capabilities.hpp"
#include "lib/mlx5/cq.hpp"
#include "lib/mlx5/domain.hpp"
#include "lib/mlx5/uar.hpp"

namespace ringside::mlx5 {

/// Refers to the context and the protection domain, which must live longer.
class QueueDomain {
 public:
  /// Throws Error, also when the device wants headers inline in send WQEs, which kernels that
  /// send from GPU memory cannot give, and when it is part of a bond.
  QueueDomain(const Context& context, const Pd& pd);

  const Context& context() const noexcept { return context_; }
  const Capabilities& capabilities() const noexcept { return capabilities_; }
  std::uint32_t pd() const noexcept { return pd_; }
  std::uint32_t tis() const noexcept { return tis_.number(); }
  /// As Cq's constructor, with what all queues share.
  Cq make_cq(std::uint32_t log_depth, const RingMemory& ring, const RingMemory& record,
             EmptiedBy emptied_by = EmptiedBy::kCpu) const;

 private:
  const Context& context_;
  std::uint32_t pd_;
  Capabilities capabilities_;
  std::uint32_t event_queue_;
  TransportDomain transport_domain_;
  Tis tis_;
  Uar uar_;  ///< doorbell page of completion queues, whose doorbell nobody rings
};

}  // namespace ringside::mlx5
