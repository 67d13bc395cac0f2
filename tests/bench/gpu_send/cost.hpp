// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a call of the device API costs, and how that is measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::bench {

/// SM cycles of one function, where `threads` of a block call it in scopes of `scope`.
struct Cost {
  std::string who;
  std::string queue = "send";  ///< send, receive, semaphore
  std::string call;
  std::string sharing;  ///< exclusive, block, gpu
  std::string scope;    ///< thread, warp, block
  std::uint32_t threads = 0;
  std::string unit;     ///< of what the cycles are for one: a packet, a call, a cqe, an item
  double cycles = 0;    ///< that the scope spends in the call
  double interval = 0;  ///< between two packets of the whole block; 0: not of this call
  std::vector<std::string> faults;
};

class Rig;

std::vector<Cost> ringside_costs(Rig& rig);
/// Where what is looked for is there. NVIDIA's open calls have no counterpart.
std::vector<Cost> receive_costs();
std::vector<Cost> semaphore_costs();
/// NVIDIA's open gpunetio headers, where meson was told where they are.
std::vector<Cost> peer_costs(Rig& rig);

}  // namespace ringside::bench
