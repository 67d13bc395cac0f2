// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs as CUDA kernels: ringside_<program>, one block a stream; and for bursts that
// the CPU receives and sends, ringside_burst_<program>, one block a burst, and
// ringside_serve_<program>, one block a lane of them.
#include "kernels/all.hpp"
#include "kernels/cuda_burst.hpp"
#include "kernels/cuda_run.hpp"

// May be followed by the blocks that an SM should have room for.
#define RINGSIDE_KERNEL(name, program, ...)                                            \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads __VA_OPT__( \
      , ) __VA_ARGS__) ringside_##name(const ringside::StreamArgs* streams) {          \
    ringside::run<ringside::program>(streams);                                         \
  }

#define RINGSIDE_BURST_KERNELS(name, program)                                   \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)     \
      ringside_burst_##name(const __grid_constant__ ringside::BurstArgs args) { \
    ringside::burst<ringside::program>(args);                                   \
  }                                                                             \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)     \
      ringside_serve_##name(const ringside::BurstLaneArgs* lanes) {             \
    ringside::serve<ringside::program>(lanes);                                  \
  }

// One a program of AllPrograms.
RINGSIDE_KERNEL(generator, Generator)
RINGSIDE_KERNEL(invert, Invert)
RINGSIDE_KERNEL(io, Io)
RINGSIDE_KERNEL(mac, Mac)
RINGSIDE_KERNEL(macswap, MacSwap)
// Not told, ptxas 13.0 aims at two on sm_80, with half the registers, and spills the others.
RINGSIDE_KERNEL(pipeline, Pipeline, 1)
RINGSIDE_KERNEL(pipeline_first, PipelineFirst, 1)
RINGSIDE_KERNEL(pipeline_middle, PipelineMiddle, 1)
RINGSIDE_KERNEL(pipeline_last, PipelineLast, 1)
// The loop needs half the registers; only what ends it spills.
RINGSIDE_KERNEL(rxonly, RxOnly, 2)
RINGSIDE_KERNEL(split_pipeline, SplitPipeline, 1)
RINGSIDE_KERNEL(strided_invert, Strided<ringside::Invert>)
RINGSIDE_KERNEL(strided_io, Strided<ringside::Io>)
RINGSIDE_KERNEL(strided_mac, Strided<ringside::Mac>)
RINGSIDE_KERNEL(strided_macswap, Strided<ringside::MacSwap>)
RINGSIDE_KERNEL(strided_pipeline, StridedPipeline, 1)
RINGSIDE_KERNEL(strided_rxonly, Strided<ringside::RxOnly>)
RINGSIDE_KERNEL(traced, Traced)
RINGSIDE_KERNEL(txonly, TxOnly)

// Of each BurstProgram.
RINGSIDE_BURST_KERNELS(invert, Invert)
RINGSIDE_BURST_KERNELS(io, Io)
RINGSIDE_BURST_KERNELS(mac, Mac)
RINGSIDE_BURST_KERNELS(macswap, MacSwap)
RINGSIDE_BURST_KERNELS(rxonly, RxOnly)
RINGSIDE_BURST_KERNELS(txonly, TxOnly)

// As many as there are above: a program without an entry point would be missed at run time only.
namespace ringside {
template <Program... P>
constexpr int count(ProgramList<P...>) {
  return sizeof...(P);
}
static_assert(count(AllPrograms{}) == 19);
}  // namespace ringside
