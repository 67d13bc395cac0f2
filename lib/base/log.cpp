// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace ringside {

spdlog::logger& log() {
  // Never destroyed: kernels that cannot be stopped are told of at the end of the process.
  static auto* const kLogger = [] {
    auto* const logger =
        new spdlog::logger("ringside", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%n: %l: %v");
    logger->set_level(spdlog::level::warn);
    logger->flush_on(spdlog::level::trace);
    return logger;
  }();
  return *kLogger;
}

}  // namespace ringside
