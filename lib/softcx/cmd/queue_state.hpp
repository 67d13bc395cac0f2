// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What MODIFY_SQ and MODIFY_RQ may change, and what all queues' contexts must say at creation.
#pragma once

#include "lib/mlx5/format/prm_wq.hpp"
#include "lib/softcx/cmd/command.hpp"

namespace softcx {

/// Refuses a command whose idea of the current state is wrong, and transitions that do not exist.
void check_transition(const char* kind, QueueState actual, std::uint32_t claimed,
                      std::uint32_t wanted);

/// The parts of the wq context that SQ and RQ share.
void check_wq(const Command& command, const char* kind, prm::Context wq);

/// CQEs of this device tell free-running time: refuses other formats.
void check_timestamp_format(const char* kind, std::uint32_t format);

}  // namespace softcx
