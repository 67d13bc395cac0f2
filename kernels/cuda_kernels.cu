// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs as CUDA kernels: ringside_<program>, one block a stream; and for bursts that
// the CPU receives and sends, ringside_burst_<program>, one block a burst, and
// ringside_serve_<program>, one block a lane of them.
#include "kernels/all.hpp"
#include "kernels/cuda_burst.hpp"
#include "kernels/cuda_run.hpp"

#define RINGSIDE_KERNEL(name, program)                                          \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)     \
      ringside_##name(const ringside::StreamArgs* streams) {                    \
    ringside::run<ringside::program>(streams);                                  \
  }                                                                             \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)     \
      ringside_burst_##name(const __grid_constant__ ringside::BurstArgs args) { \
    ringside::burst<ringside::program>(args);                                   \
  }                                                                             \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)     \
      ringside_serve_##name(const ringside::BurstLaneArgs* lanes) {             \
    ringside::serve<ringside::program>(lanes);                                  \
  }

// One a program of AllPrograms.
RINGSIDE_KERNEL(io, Io)
RINGSIDE_KERNEL(mac, Mac)
RINGSIDE_KERNEL(macswap, MacSwap)
RINGSIDE_KERNEL(rxonly, RxOnly)
RINGSIDE_KERNEL(txonly, TxOnly)

// As many as there are above: a program without an entry point would be missed at run time only.
namespace ringside {
template <Program... P>
constexpr int count(ProgramList<P...>) {
  return sizeof...(P);
}
static_assert(count(AllPrograms{}) == 5);
}  // namespace ringside
