// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receive queue tables: the indirection of RSS.
#include "lib/mlx5/format/prm_rqt.hpp"

#include <bit>
#include <vector>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

namespace rqtc = prm::rqtc;
using Queues = std::vector<Rq*>;

void check_limit(std::uint32_t size, const char* field) {
  if (size > 1U << kLogMaxRqtSize) {
    refuse(Rule::kSizeAboveLimit, "RQT: {} {} above {}", field, size, 1U << kLogMaxRqtSize);
  }
}

/// The list of a table that was created for `max_size` queues at most.
std::unique_ptr<Queues> read_queues(const Command& command, prm::Context context,
                                    std::uint32_t max_size) {
  if (command.get(context / rqtc::list_q_type) != 0) {
    refuse(Rule::kFeatureUnsupported, "RQT: a list of RQs is needed");
  }
  const std::uint32_t size = command.get(context / rqtc::rqt_actual_size);
  if (!std::has_single_bit(size)) {
    refuse(Rule::kTableSizeNotPowerOfTwo, "RQT: rqt_actual_size {} is not a power of two", size);
  }
  check_limit(size, "rqt_actual_size");
  if (size > max_size) {
    refuse(Rule::kTableAboveItsMaximum, "RQT: rqt_actual_size {} of a table of {} at most", size,
           max_size);
  }
  const prm::Field last = context / rqtc::rq_num(size - 1);
  if (command.in().size() < last.offset + 4) {
    refuse(Rule::kListTooShort, "RQT: input of {} bytes for {} queue numbers", command.in().size(),
           size);
  }
  auto queues = std::make_unique<Queues>();
  queues->reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    queues->push_back(&find_rq(command.device(), command.get(context / rqtc::rq_num(i))));
  }
  return queues;
}

void hold(const Queues& queues) {
  for (Rq* rq : queues) ++rq->references;
}
void release(const Queues& queues) {
  for (Rq* rq : queues) --rq->references;
}

}  // namespace

void create_rqt(Command& command) {
  Device& device = command.device();
  constexpr prm::Context kRqtc = prm::create_rqt_in::rqt_context;
  const std::uint32_t max_size = command.get(kRqtc / rqtc::rqt_max_size);
  check_limit(max_size, "rqt_max_size");
  std::unique_ptr<Queues> queues = read_queues(command, kRqtc, max_size);
  auto rqt = std::make_unique<Rqt>();
  rqt->rqtn = new_number(device, device.rqts, "RQT");
  rqt->max_size = max_size;
  hold(*queues);
  rqt->queues.store(queues.release(), std::memory_order_release);
  const std::uint32_t rqtn = rqt->rqtn;
  device.rqts.emplace(rqtn, std::move(rqt));
  command.set(prm::create_rqt_out::rqtn, rqtn);
}

void modify_rqt(Command& command) {
  namespace modify_in = prm::modify_rqt_in;
  Device& device = command.device();
  Rqt& rqt = find_rqt(device, command.get(modify_in::rqtn));
  if (command.get(modify_in::modify_bitmask) != modify_in::kQueueList) {
    refuse(Rule::kModifyUnsupported, "RQT: modify_bitmask {:#x}: only the list can change",
           command.get(modify_in::modify_bitmask));
  }
  std::unique_ptr<Queues> queues = read_queues(command, modify_in::rqt_context, rqt.max_size);
  hold(*queues);
  // Release pairs with the engine's acquire: it sees either list whole.
  const std::unique_ptr<const Queues> old(
      rqt.queues.exchange(queues.release(), std::memory_order_acq_rel));
  device.quiesce();
  release(*old);
}

void destroy_rqt(Command& command) {
  Device& device = command.device();
  const std::uint32_t rqtn = command.get(prm::command_in::object_id);
  Rqt& rqt = find_rqt(device, rqtn);
  refuse_if_referenced(rqt.references, "RQT", rqtn);
  const std::unique_ptr<const Queues> queues(rqt.queues.load(std::memory_order_acquire));
  release(*queues);
  // destroy_tir has waited for the engine thread to let go of whatever led here.
  device.rqts.erase(rqtn);
}

}  // namespace softcx
