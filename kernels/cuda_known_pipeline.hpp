// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The entry point of a pipeline's kernel that is compiled when the pipeline starts, and what joins
// it to cuda_any_chain.cu, which is built in: it walks chains of other shapes, and a compiler would
// need seconds for it.
#pragma once

#include "kernels/cuda_any_chain.hpp"
#include "kernels/cuda_run.hpp"
#include "kernels/known_pipeline.hpp"

// `users` and the shapes are in ringside::stages.
#define RINGSIDE_KNOWN_PIPELINE(name, program, users, ...)                       \
  extern "C" __device__ ringside::stages::Next ringside_call_user(               \
      std::uint64_t function, ringside::stages::PacketView* packet,              \
      const std::uint64_t* parameters) {                                         \
    return ringside::stages::users::call(function, *packet, parameters);         \
  }                                                                              \
  namespace ringside::stages {                                                   \
  using KnownPipeline = KnownProgram<program, users __VA_OPT__(, ) __VA_ARGS__>; \
  }                                                                              \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads, 1)   \
      name(const ringside::StreamArgs* streams) {                                \
    ringside::run<ringside::stages::KnownPipeline>(streams);                     \
  }
