// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace ringside {
namespace {

spdlog::logger& logger() {
  // Never destroyed: kernels that cannot be stopped are told of at the end of the process.
  static auto* const kLogger = [] {
    auto* const made =
        new spdlog::logger("ringside", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%n: %l: %v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *kLogger;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kCritical:
      return spdlog::level::critical;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

void set_log_level(LogLevel level) {
  logger().set_level(spdlog_level(level));
}

void vlog(LogLevel level, fmt::string_view format, fmt::format_args arguments) {
  if (!logger().should_log(spdlog_level(level))) return;
  logger().log(spdlog_level(level), fmt::vformat(format, arguments));
}

}  // namespace ringside
