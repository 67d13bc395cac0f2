// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels that send at times, on softcx's line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "tests/unit/softcx_send_rig.hpp"

namespace ringside::test {
namespace {

using softcx::test::Bytes;

struct Leave {
  std::size_t length;
  std::uint64_t asked_ns;
  std::uint64_t at_ns;
};

class DeviceSendTime : public SendContent {
 protected:
  /// What leaves of ten packets of each kind that are posted so long before the first is to leave;
  /// nothing: the NIC saw the last of them too late.
  std::optional<std::vector<Leave>> leaves_of(std::uint64_t ahead_ns,
                                              const softcx::Clocks& clocks = {});
};
RS_FOR_SEND_QUEUES(DeviceSendTime);

std::uint64_t nic_now() {
  return softcx::NicClock().now_ns();
}

/// A packet whose WQE comes late leaves late, which says something of the machine alone: so tries
/// `sends(ahead_ns)` with more and more time ahead, until it tells (by a value) that all was posted
/// before the first packet was to leave.
template <class Sends>
auto posted_in_time(const Sends& sends) {
  constexpr std::uint64_t kFirstNs = 400'000'000, kMostNs = 16 * kFirstNs;
  for (std::uint64_t ahead_ns = kFirstNs; ahead_ns <= kMostNs; ahead_ns *= 2) {
    if (auto sent = sends(ahead_ns)) return std::move(*sent);
  }
  throw std::runtime_error("no block posts that fast");
}

std::optional<std::vector<Leave>> DeviceSendTime::leaves_of(std::uint64_t ahead_ns,
                                                            const softcx::Clocks& clocks) {
  SoftcxSendRig rig(7, 0xffc0);
  rig.keep(clocks);
  const std::uint64_t start_ns = nic_now() + ahead_ns;
  const auto left = [&](std::uint32_t i) { return start_ns + 1'000 * i + i * i; };
  const NsToStamp to_stamp = rig.ns_to_stamp();
  const auto time = [&](std::uint32_t i) { return to_stamp(left(i) + clocks.utc_offset_ns); };
  run(rig, [&](auto& scope, auto& queue) {
    queue.send(
        scope, 10,
        [&](std::uint32_t i) {
          return TxAt<TxPacket>{time(i), {rig.memory.address(0), 60 + i}};
        },
        kEver);
    queue.send(
        scope, 10,
        [&](std::uint32_t i) {
          return TxAt<TxInline<92>>{time(10 + i), {rig.memory.bytes.data(), 70 + i}};
        },
        kEver);
    const TxBatch sent = queue.send(
        scope, 10,
        [&](std::uint32_t i) {
          TxAt<TxGather<3>> packet{time(20 + i), {}};
          packet.packet.add({rig.memory.address(0), 40}).add({rig.memory.address(40), 40 + i});
          return packet;
        },
        kEver);
    ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
  });
  if (rig.last_rung_ns() >= start_ns) return std::nullopt;
  std::vector<Leave> leaves;
  for (std::uint32_t i = 0; i < rig.sent().size(); ++i) {
    leaves.push_back({rig.sent()[i].size(), left(i), rig.wire.left_ns[i]});
  }
  return leaves;
}

TEST_P(DeviceSendTime, packets_of_each_kind_leave_at_their_times) {
  const auto leaves = posted_in_time([&](std::uint64_t ahead_ns) { return leaves_of(ahead_ns); });
  ASSERT_EQ(leaves.size(), 30U);
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(leaves[i].length, 60 + i);
    EXPECT_EQ(leaves[i].at_ns, leaves[i].asked_ns) << i;
  }
}

/// By NsToStamp.
TEST_P(DeviceSendTime, times_are_kept_in_ticks_and_in_real_time) {
  for (const softcx::Clocks& clocks :
       {softcx::Clocks{.khz = 156'250}, softcx::Clocks{.khz = 2'500'000},
        softcx::Clocks{.real_time = true, .utc_offset_ns = softcx::utc_offset_ns()}}) {
    const auto leaves =
        posted_in_time([&](std::uint64_t ahead_ns) { return leaves_of(ahead_ns, clocks); });
    ASSERT_EQ(leaves.size(), 30U);
    const std::uint64_t tick_ns = clocks.real_time ? 1 : clocks.tick_ns(1);
    for (const Leave& leave : leaves) {
      EXPECT_LE(leave.asked_ns - leave.at_ns, tick_ns - 1) << clocks.khz << " kHz";
    }
  }
}

TEST_P(DeviceSendTime, a_time_that_has_passed_delays_nothing) {
  SoftcxSendRig rig;
  const std::uint64_t before = nic_now();
  send(rig, 5, [&](std::uint32_t i) {
    return TxAt<TxPacket>{before - 1000 + i, {rig.memory.address(0), 60}};
  });
  ASSERT_EQ(rig.sent().size(), 5U);
  EXPECT_GE(rig.wire.left_ns[0], before);
  EXPECT_EQ(rig.wire.left_ns[4], rig.wire.left_ns[0]);
}

/// What is asked of the line: each packet as soon as the one before it has left, in the ticks of 32
/// ns in which a GPU's clock goes, and so up to a tick too early.
constexpr std::uint64_t kTickNs = 32;
constexpr std::uint64_t kPlanned = 25'000'000'000;  // bits a second

struct Plan {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint64_t> after_start_ns;
};

Plan full_line(std::uint32_t packets) {
  std::minstd_rand random(packets);
  Plan plan;
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < packets; ++i) {
    const auto length = static_cast<std::uint32_t>(60 + random() % 1455);
    plan.lengths.push_back(length);
    plan.after_start_ns.push_back(at / kTickNs * kTickNs);
    at += (8ULL * (length + 24) * 1'000'000'000 + kPlanned - 1) / kPlanned;
  }
  return plan;
}

void print_distribution(const char* what, std::vector<std::int64_t>& errors) {
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return static_cast<long>(
        errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))]);
  };
  std::printf("%s, ns: min %ld, median %ld, 90 %% %ld, 99 %% %ld, max %ld\n", what, at(0), at(0.5),
              at(0.9), at(0.99), at(1));
}

/// Sends as planned on a line of such a rate; how late each packet left, by the NIC's clock.
class DeviceSendTimeOnLine : public DeviceSendTime {
 protected:
  std::vector<std::int64_t> errors_ns(std::uint64_t line_bits_per_s) {
    return posted_in_time(
        [&](std::uint64_t ahead_ns) { return errors_ns(line_bits_per_s, ahead_ns); });
  }

 private:
  /// Nothing: the NIC saw the last WQE when the first packet was to have left.
  std::optional<std::vector<std::int64_t>> errors_ns(std::uint64_t line_bits_per_s,
                                                     std::uint64_t ahead_ns) {
    constexpr std::uint32_t kPackets = 2000, kBatch = 100;
    constexpr std::uint32_t kLogDepth = 12;  // room for all: what is posted late leaves late
    SoftcxSendRig rig(kLogDepth, 0, line_bits_per_s);
    const Plan plan = full_line(kPackets);
    // The kernel plans in its own clock, which on host threads is the host's.
    const auto read = [] {
      return mlx5::read_clocks(monotonic_ns, [] { return std::optional(nic_now()); });
    };
    const auto first = read();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const ClockMap to_nic = mlx5::fit_clocks(first, read());
    const std::uint64_t start_ns = monotonic_ns() + ahead_ns;
    const auto nic_time = [&](std::uint32_t i) {
      return to_nic(start_ns + plan.after_start_ns[i]);
    };
    run(rig, [&](auto& scope, auto& queue) {
      TxBatch sent(TxStatus::kFull);
      for (std::uint32_t done = 0; done < kPackets; done += kBatch) {
        sent = queue.send(
            scope, kBatch,
            [&](std::uint32_t i) {
              return TxAt<TxPacket>{nic_time(done + i),
                                    {rig.memory.address(0), plan.lengths[done + i]}};
            },
            kEver);
        ASSERT_EQ(sent.status, TxStatus::kOk);
      }
      ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
    });
    if (rig.last_rung_ns() >= to_nic(start_ns)) return std::nullopt;
    EXPECT_EQ(rig.sent().size(), kPackets);
    std::vector<std::int64_t> errors;
    for (std::uint32_t i = 0; i < rig.sent().size(); ++i) {
      errors.push_back(static_cast<std::int64_t>(rig.wire.left_ns[i] - nic_time(i)));
    }
    print_distribution("send time error", errors);
    return errors;
  }
};
RS_FOR_SEND_QUEUES(DeviceSendTimeOnLine);

TEST_P(DeviceSendTimeOnLine, error_is_at_most_50_ns_at_25_gbps) {
  const auto errors = errors_ns(kPlanned);
  EXPECT_GE(errors.front(), 0) << "nothing leaves early";
  EXPECT_LE(errors.back(), 50);
}

TEST_P(DeviceSendTimeOnLine, a_line_that_is_one_percent_too_slow_shows) {
  const auto errors = errors_ns(kPlanned / 100 * 99);
  EXPECT_GE(errors.front(), 0);
  EXPECT_GT(errors.back(), 3000);  // 1 % of 0.5 ms, at least
}

}  // namespace
}  // namespace ringside::test
