// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/schedule.hpp"

#include <algorithm>

#include "lib/softcx/data/injection.hpp"
#include "lib/softcx/data/receive_queue.hpp"
#include "lib/softcx/data/watch_posts.hpp"

namespace softcx {
namespace {

/// Calls `visit(port, uar, send queues)` for each UAR page of each port.
template <class Visit>
void for_each_page(std::span<const std::unique_ptr<Port>> ports, Visit visit) {
  for (const auto& port : ports) {
    // Acquire: pairs with the control path's release; the table it replaced is complete.
    const auto* uars = port->device().uars.load(std::memory_order_acquire);
    if (uars == nullptr) continue;
    for (const Uar* uar : *uars) {
      const auto* queues = uar->send_queues.load(std::memory_order_acquire);
      visit(*port, *uar, queues != nullptr ? std::span(*queues) : std::span<Sq* const>());
    }
  }
}

}  // namespace

void Schedule::drop() noexcept {
  active_.clear();
  due_ns_ = kNever;
  pages_.clear();
  queues_.clear();
  receive_queues_.clear();
}

void Schedule::build(std::span<const std::unique_ptr<Port>> ports) {
  drop();
  // The tables are read once, as they may change meanwhile; spans of queues_ are taken when it has
  // its final size.
  struct Page {
    Port* port;
    const Uar* uar;
    std::size_t first, count;
  };
  std::vector<Page> found;
  for_each_page(ports, [&](Port& port, const Uar& uar, std::span<Sq* const> sqs) {
    found.push_back({&port, &uar, queues_.size(), sqs.size()});
    for (Sq* sq : sqs) queues_.push_back({sq, &port.transmitter(), false});
  });
  active_.reserve(queues_.size());
  pages_.reserve(found.size());
  for (const Page& page : found) {
    const std::span<ScheduledSq> queues(queues_.data() + page.first, page.count);
    pages_.emplace_back(page.port->device(), *page.uar, queues);
    activate(queues);
  }
  for (const auto& port : ports) {
    // Acquire: as for the UAR pages.
    const auto* rqs = port->device().receive_queues.load(std::memory_order_acquire);
    watches_ = port->device().posted != nullptr;
    if (rqs != nullptr) receive_queues_.insert(receive_queues_.end(), rqs->begin(), rqs->end());
  }
}

bool Schedule::poll_doorbells() noexcept {
  // Before rings are taken: what is sent must not be posted for receiving.
  if (watches_) [[unlikely]] {
    for (const Rq* queue : receive_queues_) watch_posts(*queue);
  }
  bool rung = false;
  for (DoorbellPage& page : pages_) {
    if (!page.poll()) continue;
    activate(page.queues());
    rung = true;
  }
  return rung;
}

void Schedule::activate(std::span<ScheduledSq> queues) noexcept {
  for (ScheduledSq& queue : queues) {
    if (queue.active || !queue.has_work()) continue;
    queue.active = true;
    active_.push_back(&queue);
  }
}

bool Schedule::run(ScheduledSq& queue) noexcept {
  Sq& sq = *queue.sq;
  const std::uint32_t work = sq.faults == nullptr
                                 ? queue.transmitter->run(sq, kSendBudget)
                                 : run_with_faults(*queue.transmitter, sq, kSendBudget);
  // A queue in reset, or in error without flushing, keeps what is posted: no work either. What
  // was fetched for it names it: one more turn drops that, as a sleeping engine holds no pointer.
  queue.active = sq.oldest_batch != nullptr || sq.resume_ns != 0 || (work != 0 && queue.has_work());
  return !queue.active;
}

bool Schedule::run_queues(std::uint64_t now_ns) noexcept {
  due_ns_ = kNever;
  if (active_.empty()) return false;
  // Not the same one first each time: what they share (staging memory) may not suffice for all.
  std::rotate(active_.begin(), active_.begin() + 1, active_.end());
  // What had to wait leaves at its time, before what others send now.
  std::stable_partition(active_.begin(), active_.end(),
                        [](const ScheduledSq* queue) { return queue->sq->resume_ns != 0; });
  bool busy = false;
  const auto done = [&](ScheduledSq* queue) {
    const Sq& sq = *queue->sq;
    const bool waits =
        sq.resume_ns > now_ns && sq.state.load(std::memory_order_acquire) == QueueState::kReady;
    const bool ended = !waits && run(*queue);
    // Staged reads name their queue: no sleep while there are some.
    busy |= !waits || sq.oldest_batch != nullptr;
    if (!ended && sq.resume_ns != 0) due_ns_ = std::min(due_ns_, sq.resume_ns);
    return ended;
  };
  active_.erase(std::remove_if(active_.begin(), active_.end(), done), active_.end());
  return busy || due_ns_ < now_ns + kSoonNs;
}

void Schedule::wake_stalled() noexcept {
  for (ScheduledSq& queue : queues_) {
    if (queue.sq->faults != nullptr) activate({&queue, 1});
  }
}

void Schedule::check_doorbells(std::uint64_t now_ns) noexcept {
  for (DoorbellPage& page : pages_) page.check(now_ns);
}

void Schedule::flush_receive_queues() noexcept {
  for (Rq* queue : receive_queues_) flush_in_error(*queue);
}

}  // namespace softcx
