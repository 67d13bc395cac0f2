// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/burst_flow.hpp"

#include <rte_mbuf.h>

#include "lib/base/relax.hpp"

namespace ringside {
namespace {

void drop(std::span<rte_mbuf*> mbufs, StreamCounter& cause) noexcept {
  cause += mbufs.size();
  rte_pktmbuf_free_bulk(mbufs.data(), static_cast<unsigned>(mbufs.size()));
}

}  // namespace

BurstFlow::BurstFlow(BurstLane& lane, PacketQueues& queues, PmdCounters& counters,
                     std::uint16_t burst)
    : lane_(lane),
      queues_(queues),
      counters_(counters),
      burst_(burst),
      bursts_(kMaxBurstPlaces + 1) {}

bool BurstFlow::serve() noexcept {
  const bool received = receive();
  return forward() || received;
}

bool BurstFlow::receive() noexcept {
  if (!can_submit()) return false;
  Burst& burst = at(submitted_);
  begin("receiving");
  const std::uint16_t came =
      queues_.receive(std::span(burst.mbufs).subspan(burst.count, burst_ - burst.count));
  burst.count = static_cast<std::uint16_t>(burst.count + came);
  if (burst.count == burst_ || (came == 0 && burst.count != 0 && lane_.empty())) {
    submit();
    return true;
  }
  return came != 0;
}

void BurstFlow::submit() noexcept {
  Burst& burst = at(submitted_);
  begin("handing a burst to the GPU");
  if (lane_.submit(burst.unsent())) {
    ++submitted_;
    return;
  }
  refused_.store(true, std::memory_order_relaxed);
  drop(burst.unsent(), counters_.dropped_gpu_lost);
  burst.clear();
}

bool BurstFlow::forward() noexcept {
  bool moved = false;
  while (submitted_ != sent_) {
    Burst& burst = at(sent_);
    if (!burst.judged) {
      if (!judge(burst)) break;
      moved = true;
    }
    if (!burst.unsent().empty() && !send(burst)) break;
    moved = true;
    if (!burst.unsent().empty()) break;
    burst.clear();
    ++sent_;
  }
  return moved;
}

bool BurstFlow::judge(Burst& burst) noexcept {
  begin("awaiting a burst from the GPU");
  const Verdict* verdicts = lane_.verdicts();
  if (verdicts == nullptr) return false;
  std::uint16_t kept = 0;
  for (std::uint16_t i = 0; i < burst.count; ++i) {
    rte_mbuf* const mbuf = burst.mbufs[i];
    if (verdicts[i] == Verdict::kSend) {
      burst.mbufs[kept++] = mbuf;
      continue;
    }
    (verdicts[i] == Verdict::kConsume ? counters_.consumed : counters_.dropped_by_program) += 1;
    rte_pktmbuf_free(mbuf);
  }
  burst.count = kept;
  burst.judged = true;
  lane_.retire();
  return true;
}

bool BurstFlow::send(Burst& burst) noexcept {
  const std::span<rte_mbuf*> unsent = burst.unsent();
  begin("sending");
  const std::uint64_t bytes = bytes_of(unsent);  // those sent are not ours to look at afterwards
  const std::uint16_t sent = queues_.send(unsent);
  burst.sent = static_cast<std::uint16_t>(burst.sent + sent);
  counters_.tx_packets += sent;
  counters_.tx_bytes += bytes - bytes_of(burst.unsent());
  return sent != 0;
}

void BurstFlow::drain(Deadline deadline) noexcept {
  Relax relax;
  while (!empty() && !deadline.passed()) {
    if (filling().count != 0 && can_submit()) submit();
    if (forward()) {
      relax.reset();
    } else {
      relax.relax();
    }
  }
  // In order: once one is not done, none after it is.
  for (; submitted_ != sent_ && (at(sent_).judged || judge(at(sent_))); ++sent_) {
    drop(at(sent_).unsent(), counters_.dropped_send_full);
    at(sent_).clear();
  }
}

void BurstFlow::give_up() noexcept {
  for (; submitted_ != sent_; ++sent_) {
    Burst& burst = at(sent_);
    drop(burst.unsent(), burst.judged ? counters_.dropped_send_full : counters_.dropped_gpu_lost);
    burst.clear();
  }
  drop(at(submitted_).unsent(), counters_.dropped_gpu_lost);
  at(submitted_).clear();
}

}  // namespace ringside
