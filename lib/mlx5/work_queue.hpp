// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What send and receive queues have in common: the work queue context and the states.
#pragma once

#include <cstdint>

#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/prm_wq.hpp"
#include "lib/mlx5/ring_memory.hpp"

namespace ringside::mlx5 {

/// A cyclic ring of 2^log_depth entries of 2^log_stride bytes.
struct WorkQueueConfig {
  std::uint32_t log_depth;
  std::uint32_t log_stride;
  std::uint32_t pd;
  std::uint32_t uar_page;  ///< send queues only
  RingMemory ring;
  RingMemory record;
};

template <std::size_t kSize>
void set_work_queue(prm::Mailbox<kSize>& in, prm::Context wq, const WorkQueueConfig& config) {
  in.set(wq / prm::wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclic));
  in.set(wq / prm::wq::pd, config.pd);
  in.set(wq / prm::wq::uar_page, config.uar_page);
  in.set(wq / prm::wq::log_wq_stride, config.log_stride);
  in.set(wq / prm::wq::log_wq_sz, config.log_depth);
  in.set(wq / prm::wq::wq_umem_valid, 1);
  in.set(wq / prm::wq::wq_umem_id, config.ring.umem_id);
  in.set(wq / prm::wq::wq_umem_offset, config.ring.offset);
  in.set(wq / prm::wq::dbr_umem_valid, 1);
  in.set(wq / prm::wq::dbr_umem_id, config.record.umem_id);
  in.set(wq / prm::wq::dbr_addr, config.record.offset);
}

/// Moves a send or receive queue between states. `Layout` names the command's fields.
template <class Layout>
void modify_state(DevxObject& object, std::uint32_t number, prm::QueueState from,
                  prm::QueueState to) {
  auto in = command<Layout::kInSize>(Layout::kModify);
  prm::Mailbox<prm::command_out::kSize> out;
  in.set(Layout::kNumber, number);
  in.set(Layout::kCurrentState, static_cast<std::uint32_t>(from));
  in.set(Layout::kNewState, static_cast<std::uint32_t>(to));
  object.modify(in, out);
}

}  // namespace ringside::mlx5
