// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The ports' network devices, which serve the driver's netdev ioctls and netlink requests.
#pragma once

#include <vector>

#include "lib/softcx/fault/plan.hpp"
#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// Makes a veth pair (with a limit of the MTU: a macvlan over one) for each port in the calling
/// process's network namespace, both ends up and without IPv6, so that no frame appears unasked;
/// brings the loopback interface up. Throws ringside::Error.
void make_netdevs(const std::vector<Port>& ports, const FaultPlan& faults);

}  // namespace softcx
