// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For kernels of your own, in a program of your own. One source for both kinds of GPU:
//
//   #include "kernels/user_kernel.hpp"
//   struct DnsOnly { ... };               // a Program, see lib/device/program.hpp
//   RINGSIDE_PROGRAM(dns_only, DnsOnly)
//
// built by the C++ compiler, and by nvcc where it is to run on NVIDIA GPUs too:
//
//   nvcc -std=c++20 -x cu -fatbin -arch=sm_90 -I... dns_only.cpp -o dns_only.fatbin
//   c++ -std=c++20 -O2 -I... -DRINGSIDE_USER_FATBIN='"dns_only.fatbin"' -c dns_only.cpp
//
// The program that starts it declares it, and names it:
//
//   extern const ringside::UserKernel dns_only;
//   runtime->add_kernel(dns_only);        // lib/runtime/runtime.hpp, before start_programs()
//
// Where forward()'s loop does not suit, RINGSIDE_KERNEL(name, function) takes a loop of your own:
// template <Block B> RS_DEVICE void function(B& block, const StreamArgs& stream), called by all
// threads of the block. It ends when stream.control->exit is set, within stream.drain_ns.
#pragma once

#include "lib/device/forward.hpp"

#if defined(__CUDACC__)

#include "kernels/cuda_limits.hpp"
#include "kernels/cuda_run.hpp"

#define RINGSIDE_KERNEL(name, function)                                                         \
  extern "C" __global__ void __launch_bounds__(ringside::kCudaBlockThreads)                     \
      ringside_##name(const ringside::StreamArgs* streams) {                                    \
    ringside::serve_stream(streams,                                                             \
                           [](ringside::CudaBlock& block, const ringside::StreamArgs& stream) { \
                             function(block, stream);                                           \
                           });                                                                  \
  }

#else

#include "kernels/registry.hpp"
#include "lib/device/host_block.hpp"

// Machine code goes in whole, as the assembler reads it.
#if defined(RINGSIDE_USER_FATBIN)
#define RINGSIDE_USER_IMAGE(name)                 \
  extern "C" const char ringside_fatbin_##name[]; \
  asm(".pushsection .rodata\n"                    \
      ".balign 64\n"                              \
      ".global ringside_fatbin_" #name            \
      "\n"                                        \
      "ringside_fatbin_" #name                    \
      ":\n"                                       \
      ".incbin \"" RINGSIDE_USER_FATBIN           \
      "\"\n"                                      \
      ".popsection\n");
#define RINGSIDE_USER_IMAGE_OF(name) ringside_fatbin_##name
#else
#define RINGSIDE_USER_IMAGE(name)
#define RINGSIDE_USER_IMAGE_OF(name) nullptr
#endif

#define RINGSIDE_KERNEL(name, function)   \
  RINGSIDE_USER_IMAGE(name)               \
  extern const ringside::UserKernel name; \
  const ringside::UserKernel name{#name, &function, RINGSIDE_USER_IMAGE_OF(name)};

#endif

/// At namespace scope, outside of all namespaces. `name`: what start_programs() starts it by.
#define RINGSIDE_PROGRAM(name, type) RINGSIDE_KERNEL(name, ringside::forward<type>)
