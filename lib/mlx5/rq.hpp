// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue, created in reset. A WQE is 2^log_stride bytes of scatter entries, 16 each, or a
// StridingWqe.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/mlx5/cq.hpp"
#include "lib/mlx5/work_queue.hpp"

namespace ringside::mlx5 {

/// Packets share a WQE's buffer, in 2^log_count strides of 2^log_bytes.
struct RqStrides {
  std::uint32_t log_count, log_bytes;
  bool padded;  ///< two bytes of zeros in front of each packet
};

struct RqConfig {
  WorkQueueConfig wq;
  std::uint32_t cq;
  std::uint32_t q_counter;
  bool strip_vlan;
  std::uint32_t user_index;
  prm::TimestampFormat timestamps;
  std::optional<RqStrides> strides = std::nullopt;
};

class Rq {
 public:
  Rq(const Context& context, const RqConfig& config);

  std::uint32_t number() const noexcept { return answer_.get(prm::create_rq_out::rqn); }
  /// As the device says; an error CQE that stops the queue has moved it to kError.
  prm::QueueState state() const;
  /// Reset to ready. The doorbell record has to be 0.
  void make_ready();
  /// From any state to reset. The device holds no posted WQE after that, and writes no more CQEs.
  void reset();

 private:
  prm::Mailbox<prm::create_rq_out::kSize> answer_;
  DevxObject object_;
};

}  // namespace ringside::mlx5
