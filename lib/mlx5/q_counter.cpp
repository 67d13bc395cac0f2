// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/q_counter.hpp"

namespace ringside::mlx5 {

QCounter::QCounter(const Context& context)
    : object_(context, "Q counter",
              command<prm::alloc_q_counter_in::kSize>(prm::Opcode::kAllocQCounter), answer_) {}

std::uint64_t QCounter::out_of_buffer() {
  auto in = command<prm::query_q_counter_in::kSize>(prm::Opcode::kQueryQCounter);
  in.set(prm::query_q_counter_in::counter_set_id, id());
  prm::Mailbox<prm::query_q_counter_out::kSize> out;
  object_.query(in, out);
  const std::uint32_t now = out.get(prm::query_q_counter_out::out_of_buffer);
  total_ += now - last_;  // modulo 2^32, so that a turn of the counter adds up
  last_ = now;
  return total_;
}

}  // namespace ringside::mlx5
