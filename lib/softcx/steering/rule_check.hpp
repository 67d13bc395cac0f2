// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which actions a rule can have, and what they add up to.
#pragma once

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/steering/tables.hpp"

namespace softcx {

/// Checks the actions of `handle` and fills in what the engine does with packets that match, but
/// for the key and the target. Refuses what the NIC's firmware, the kernel (root tables) or
/// rdma-core (others) refuse.
void add_actions(RuleHandle& handle, const Device& device);

}  // namespace softcx
