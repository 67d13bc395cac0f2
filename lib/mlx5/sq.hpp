// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue of basic blocks (64 bytes), created in reset.
#pragma once

#include <cstdint>

#include "lib/mlx5/cq.hpp"
#include "lib/mlx5/work_queue.hpp"

namespace ringside::mlx5 {

struct SqConfig {
  WorkQueueConfig wq;
  std::uint32_t cq;
  std::uint32_t tis;
  prm::TimestampFormat timestamps;
  bool multi_packet;  ///< allows WQEs of several packets
};

class Sq {
 public:
  Sq(const Context& context, const SqConfig& config);

  std::uint32_t number() const noexcept { return answer_.get(prm::create_sq_out::sqn); }
  /// As the device says; an error CQE has moved the queue to kError.
  prm::QueueState state() const;
  /// Reset to ready. The doorbell record has to be 0.
  void make_ready();
  /// From any state to reset. The device holds no posted WQE after that, and writes no more CQEs.
  void reset();

 private:
  prm::Mailbox<prm::create_sq_out::kSize> answer_;
  DevxObject object_;
};

}  // namespace ringside::mlx5
