// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// EAL options as the user wrote them, split into what EAL gets and the NICs that Ringside hot-plugs
// itself: the mlx5 PMD takes queues that are not its own only on a verbs context that the
// application opened, so EAL must not probe the NIC.
#pragma once

#include <string>
#include <vector>

#include "lib/dpdk/device_match.hpp"

namespace ringside {

struct NicArgument {
  PciAddress address;
  std::string devargs;  ///< what followed the address in -a, without the comma
};

struct EalArguments {
  std::vector<std::string> args;  ///< for EAL, argv[0] included
  std::vector<NicArgument> nics;  ///< in the order of the command line, or by address
};

/// `functions`: those of the machine. An -a that names an mlx5 NIC is taken out, others stay
/// (GPUs). Without any -a, all mlx5 NICs are meant and all NVIDIA GPUs, but for those that -b
/// names. EAL always gets one -a that matches nothing: without any it would probe all NICs. Throws
/// usage errors: an -a of no PCI device, of a NIC that is not mlx5, -a beside -b.
EalArguments split_eal_arguments(const std::vector<std::string>& args,
                                 const std::vector<PciFunction>& functions);

}  // namespace ringside
