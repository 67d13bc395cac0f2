// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "kernels/registry.hpp"

#include <algorithm>
#include <array>

#include "kernels/all.hpp"
#include "lib/device/forward.hpp"
#include "lib/device/host_block.hpp"

namespace ringside {
namespace {

template <Program P>
constexpr HostKernel make_kernel() {
  HostKernel kernel{P::kName, &forward<P, HostBlock>, nullptr, nullptr, P::kReceives, P::kSends};
  if constexpr (BurstProgram<P>) {
    kernel.run_burst = &run_burst<P, HostBlock>;
    kernel.serve_bursts = &serve_bursts<P, HostBlock>;
  }
  return kernel;
}

template <Program... P>
constexpr std::array<HostKernel, sizeof...(P)> make_table(ProgramList<P...>) {
  return {make_kernel<P>()...};
}

constexpr auto kHostKernels = make_table(AllPrograms{});

}  // namespace

std::span<const HostKernel> host_kernels() {
  return kHostKernels;
}

const HostKernel* find_host_kernel(std::string_view name) {
  const auto found = std::find_if(kHostKernels.begin(), kHostKernels.end(),
                                  [name](const HostKernel& kernel) { return kernel.name == name; });
  return found == kHostKernels.end() ? nullptr : &*found;
}

}  // namespace ringside
