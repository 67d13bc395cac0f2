// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which actions a rule can have, and what they add up to.
#pragma once

#include <span>

#include "lib/softcx/steering/tables.hpp"

namespace softcx {

/// What the engine does with packets that match; the key is left to the caller. Refuses what the
/// NIC's firmware, the kernel (root tables) or rdma-core (others) refuse.
Rule build_rule(const Matcher& matcher, std::span<Action* const> actions);

}  // namespace softcx
