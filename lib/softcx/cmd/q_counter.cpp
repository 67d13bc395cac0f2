// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Q counters: what receive queues had to drop.
#include "lib/mlx5/format/prm_q_counter.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {

void alloc_q_counter(Command& command) {
  Device& device = command.device();
  std::uint32_t id = 1;
  while (id <= kMaxQCounters && device.q_counters.contains(id)) ++id;
  if (id > kMaxQCounters) {
    refuse(Rule::kTableFull, "all {} Q counters are in use", kMaxQCounters);
  }
  auto counter = std::make_unique<QCounter>();
  counter->id = id;
  device.q_counters.emplace(id, std::move(counter));
  command.set(prm::alloc_q_counter_out::counter_set_id, id);
}

void query_q_counter(Command& command) {
  namespace query_in = prm::query_q_counter_in;
  QCounter& counter = find_q_counter(command.device(), command.get(query_in::counter_set_id));
  const std::uint64_t now = counter.out_of_buffer.load(std::memory_order_relaxed);
  command.set(prm::query_q_counter_out::out_of_buffer,
              static_cast<std::uint32_t>(now - counter.cleared_at));
  if (command.get(query_in::clear) != 0) counter.cleared_at = now;
}

void dealloc_q_counter(Command& command) {
  Device& device = command.device();
  const std::uint32_t id = command.get(prm::command_in::object_id);
  refuse_if_referenced(find_q_counter(device, id).references, "Q counter", id);
  // destroy_rq has waited for the engine thread to let go of the queues that named it.
  device.q_counters.erase(id);
}

}  // namespace softcx
