// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/cmd/queue_state.hpp"

#include <algorithm>

#include "lib/softcx/cmd/limits.hpp"

namespace softcx {
namespace {

struct Transition {
  QueueState from, to;
};

/// Missing: error to ready (what the ring holds is undefined, it has to be reset first), reset to
/// error (nothing is outstanding).
constexpr Transition kAllowed[] = {
    {QueueState::kReset, QueueState::kReset}, {QueueState::kReset, QueueState::kReady},
    {QueueState::kReady, QueueState::kReady}, {QueueState::kReady, QueueState::kError},
    {QueueState::kReady, QueueState::kReset}, {QueueState::kError, QueueState::kError},
    {QueueState::kError, QueueState::kReset},
};

}  // namespace

void check_transition(const char* kind, QueueState actual, std::uint32_t claimed,
                      std::uint32_t wanted) {
  const auto state = static_cast<std::uint32_t>(actual);
  if (claimed != state) {
    refuse(Rule::kCurrentStateWrong, "{} is in state {}, the command says {}", kind, state,
           claimed);
  }
  const bool allowed =
      std::any_of(std::begin(kAllowed), std::end(kAllowed), [&](const Transition& t) {
        return t.from == actual && static_cast<std::uint32_t>(t.to) == wanted;
      });
  if (!allowed) {
    refuse(Rule::kTransitionForbidden, "{} cannot go from state {} to {}", kind, state, wanted);
  }
}

void check_cyclic(const Command& command, const char* kind, prm::Context wq) {
  const std::uint32_t type = command.get(wq / prm::wq::wq_type);
  if (type != static_cast<std::uint32_t>(prm::WqType::kCyclic)) {
    refuse(Rule::kWqTypeUnsupported, "{}: wq_type {}, which is not among the capabilities", kind,
           type);
  }
}

void check_wq(const Command& command, const char* kind, prm::Context wq) {
  if (command.get(wq / prm::wq::wq_signature) != 0) {
    refuse(Rule::kFeatureUnsupported, "{}: WQE signatures are not supported", kind);
  }
  const std::uint32_t log_depth = command.get(wq / prm::wq::log_wq_sz);
  if (log_depth > kLogMaxQueueDepth) {
    refuse(Rule::kSizeAboveLimit, "{}: log_wq_sz {} above {}", kind, log_depth, kLogMaxQueueDepth);
  }
}

StampFormat stamp_format(const Device& device, const char* kind, std::uint32_t format) {
  const bool real_time = device.clocks.real_time;
  switch (static_cast<prm::TimestampFormat>(format)) {
    case prm::TimestampFormat::kFreeRunning:
      return {device.clocks, false};
    case prm::TimestampFormat::kDefault:
      return {device.clocks, real_time};
    case prm::TimestampFormat::kRealTime:
      if (real_time) return {device.clocks, true};
      break;
  }
  refuse(Rule::kFeatureUnsupported, "{}: ts_format {} is not among the capabilities", kind, format);
}

}  // namespace softcx
