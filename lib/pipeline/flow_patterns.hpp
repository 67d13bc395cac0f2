// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A file's flows as rte_flow patterns.
#pragma once

#include "lib/flow/flow_spec.hpp"
#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// Of one interface, in the order of the file. A flow that matches TCP or UDP and not what carries
/// it becomes two of the same name, for IPv4 and IPv6: mlx5 asks for that header, and for the one
/// that ICMP is of; one that matches eth.type, two with a VLAN tag and without. Throws usage_error
/// for what rte_flow has no pattern for.
PortFlows port_flows(const Interface& interface);

}  // namespace ringside::pipeline
