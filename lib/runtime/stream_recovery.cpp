// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/stream_recovery.hpp"

#include <fmt/core.h>

namespace ringside {

StreamRecovery::StreamRecovery(GpuStream& stream, GpuPort& rx, std::function<void()> renew_rx,
                               GpuPort& tx, std::uint32_t limit)
    : stream_(stream) {
  const mlx5::RecoveryPolicy policy{.limit = limit};
  const std::uint16_t sends_by = stream.tx_queue();
  const auto add = [&](std::size_t block) {
    StreamWords& words = stream.words_of(block);
    ends_.emplace_back(
        mlx5::QueueRecovery::Parties{
            .request = &words.status.recovery,
            .answer = &words.control.recovery,
            .rx = &rx.rx(stream.rx_queue()),
            .tx = &tx.tx(sends_by),
            .before_reuse = [&tx, sends_by] { return tx.forget_doorbell(sends_by); },
            .renew_rx = renew_rx},
        policy);
  };
  add(0);
  if (stream.blocks() > 1) add(stream.blocks() - 1);
}

void StreamRecovery::step(std::uint64_t now_ns, std::vector<std::string>& events) {
  for (mlx5::QueueRecovery& end : ends_) tell(end, end.step(now_ns), events);
}

void StreamRecovery::tell(const mlx5::QueueRecovery& recovery, mlx5::QueueRecovery::Event event,
                          std::vector<std::string>& events) {
  switch (event) {
    case mlx5::QueueRecovery::Event::kNone:
      return;
    case mlx5::QueueRecovery::Event::kStopped:
      events.push_back(fmt::format("{} stopped by its {}; recovery {} of {} in {} ms",
                                   stream_.name(), recovery.error(), recovery.attempt(),
                                   recovery.policy().limit, recovery.pause_ns() / 1'000'000));
      return;
    case mlx5::QueueRecovery::Event::kReady:
      events.push_back(fmt::format("{} goes on", stream_.name()));
      return;
    case mlx5::QueueRecovery::Event::kGivenUp:
      stream_.give_up(recovery.reason());
      return;
  }
}

void StreamRecovery::tell_overrun(std::uint32_t queues) {
  ends_.front().tell_overrun(queues & kRecoverReceive);
  ends_.back().tell_overrun(queues & kRecoverSend);
}

void StreamRecovery::blocks_ended() {
  for (mlx5::QueueRecovery& end : ends_) end.kernel_ended();
}

}  // namespace ringside
