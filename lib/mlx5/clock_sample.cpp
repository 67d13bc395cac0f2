// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/clock_sample.hpp"

#include <infiniband/verbs.h>

#include "lib/base/clock.hpp"
#include "lib/base/relax.hpp"

namespace ringside::mlx5 {

ClockMap fit_clocks(const ClockReading& first, const ClockReading& second) {
  const std::uint64_t from = second.from - first.from;
  const std::uint64_t to = second.to - first.to;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // 18 minutes
  if (from == 0 || from > kMost || to > kMost) {
    throw Error(fmt::format("no map from clock readings {} and {} ticks apart", from, to),
                "read both clocks twice, some milliseconds apart");
  }
  __extension__ using Wide = unsigned __int128;
  const auto rate = (Wide{to} << 32) / from;
  return {second.from, second.to, static_cast<std::uint64_t>(rate)};
}

std::uint64_t read_nic_clock(const Context& context, const StampToNs& stamp_to_ns) {
  if (stamp_to_ns.real_time) {
    throw Error(
        fmt::format("{}: its queues go by real time, which verbs do not tell", context.name()),
        "read the PTP clock of its netdev (ethtool -T names it: /dev/ptpN)");
  }
  ibv_values_ex values{};
  values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
  if (const int error = ibv_query_rt_values_ex(context.get(), &values); error != 0) {
    throw Error(fmt::format("{}: its clock cannot be read, {}", context.name(), errno_text(error)),
                "the kernel has to map the clock's page (mlx5_core, not a VF that hides it)");
  }
  // The mlx5 provider puts the counter into tv_nsec as it is.
  return stamp_to_ns(static_cast<std::uint64_t>(values.raw_clock.tv_nsec));
}

std::optional<std::uint64_t> ask_clock(ClockMailbox& mailbox) noexcept {
  const std::uint64_t request = __atomic_load_n(&mailbox.request, __ATOMIC_RELAXED) + 1;
  // Release: the kernel reads its clock after it has seen the request, not before.
  __atomic_store_n(&mailbox.request, request, __ATOMIC_RELEASE);
  const Deadline deadline = Deadline::after_ms(1);
  // Acquire: pairs with the kernel's release, so that now_ns is the answer's.
  Relax wait;
  while (__atomic_load_n(&mailbox.answer, __ATOMIC_ACQUIRE) != request) {
    if (deadline.passed()) return std::nullopt;
    wait.relax();
  }
  return __atomic_load_n(&mailbox.now_ns, __ATOMIC_RELAXED);
}

}  // namespace ringside::mlx5
