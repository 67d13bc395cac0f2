// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A completion queue in memory of the caller, polled by kernels (or, in recovery, by the CPU).
#pragma once

#include <cstdint>

#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/wqe.hpp"
#include "lib/mlx5/ring_memory.hpp"

namespace ringside::mlx5 {

/// Who makes ring and record as those of new queues are: the CPU, by copies, or a kernel that has
/// done so, since they may be out of the CPU's reach while it runs.
enum class EmptiedBy { kCpu, kKernel };

struct CqConfig {
  std::uint32_t log_depth;
  std::uint32_t uar_page;
  std::uint32_t event_queue;
  RingMemory ring;    ///< 2^log_depth CQEs
  RingMemory record;  ///< a CqDoorbellRecord
  EmptiedBy emptied_by = EmptiedBy::kCpu;
};

class Cq {
 public:
  /// All entries are marked as never written and none as taken when the queue is created. Throws
  /// Error.
  Cq(const Context& context, const CqConfig& config);

  std::uint32_t number() const noexcept { return answer_.get(prm::create_cq_out::cqn); }
  std::uint32_t log_depth() const noexcept { return config_.log_depth; }
  Cqe* kernel_ring() const noexcept { return config_.ring.kernel<Cqe>(); }
  CqDoorbellRecord* kernel_record() const noexcept {
    return config_.record.kernel<CqDoorbellRecord>();
  }
  /// Has a completion come while the ring was full? No more are written, until it is made anew.
  bool overrun() const;
  /// Consumes what lies in the ring from `consumer` on and returns the new consumer index. Only
  /// while no kernel runs and the work queue is in reset, so that no more can come.
  std::uint64_t skip_completions(std::uint64_t consumer);

 private:
  CqConfig config_;
  prm::Mailbox<prm::create_cq_out::kSize> answer_;
  DevxObject object_;
};

}  // namespace ringside::mlx5
