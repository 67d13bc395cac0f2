// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "kernels/cuda_run.hpp"
#include "tests/gpu/launch.hpp"
#include "tests/unit/own_programs.hpp"

namespace ringside::test::gpu {
namespace {

template <class P>
__global__ void __launch_bounds__(kCudaBlockThreads) run_own(const StreamArgs* streams) {
  serve_stream(streams,
               [](CudaBlock& block, const StreamArgs& stream) { run_program<P>(block, stream); });
}

template <class... P>
const void* find(std::string_view name, OwnList<P...>) {
  const void* found = nullptr;
  ((P::kName == name && (found = reinterpret_cast<const void*>(&run_own<P>), true)) || ...);
  return found;
}

}  // namespace

const void* own_kernel(std::string_view name) {
  return find(name, OwnPrograms{});
}

}  // namespace ringside::test::gpu
