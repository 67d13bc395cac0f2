// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A Q counter: what the receive queues that name it had to drop for want of a posted buffer.
#pragma once

#include <cstdint>

#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"

namespace ringside::mlx5 {

class QCounter {
 public:
  explicit QCounter(const Context& context);

  std::uint32_t id() const noexcept {
    return answer_.get(prm::alloc_q_counter_out::counter_set_id);
  }
  /// Packets dropped since creation. The device's counter is 32 bits wide: to see each turn, ask at
  /// least once every four billion drops. Throws Error.
  std::uint64_t out_of_buffer();

 private:
  prm::Mailbox<prm::alloc_q_counter_out::kSize> answer_;
  DevxObject object_;
  std::uint32_t last_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace ringside::mlx5
