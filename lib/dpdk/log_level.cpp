// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/log_level.hpp"

#include <rte_log.h>

#include <algorithm>

namespace ringside {
namespace {

constexpr const char* kType = "ringside";

}  // namespace

void register_log_type() {
  rte_log_register_type_and_pick_level(kType, RTE_LOG_NOTICE);
}

void take_log_level() {
  const int type = rte_log_register(kType);  // as known
  if (type < 0) return;
  const int level = rte_log_get_level(static_cast<std::uint32_t>(type));
  const std::uint32_t limit = rte_log_get_global_level();
  set_log_level(log_level_of(std::min(static_cast<std::uint32_t>(std::max(level, 0)), limit)));
}

LogLevel log_level_of(std::uint32_t level) noexcept {
  if (level == 0) return LogLevel::kOff;
  if (level <= RTE_LOG_CRIT) return LogLevel::kCritical;
  if (level == RTE_LOG_ERR) return LogLevel::kError;
  if (level <= RTE_LOG_NOTICE) return LogLevel::kWarning;
  return level == RTE_LOG_INFO ? LogLevel::kInfo : LogLevel::kDebug;
}

}  // namespace ringside
