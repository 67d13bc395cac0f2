// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For stages of your own. One source file, one function a stage:
//
//   #include "kernels/stage.hpp"
//   RINGSIDE_STAGE(no_telnet, packet, params) {
//     FieldValue port{};
//     const bool tcp = load_field(packet, Field::kTcpDst, false, port);
//     return tcp && port.low == params[0] ? Next::kDrop : Next::kOn;
//   }
//
// and in the pipeline's file
//
//   - user: {source: no_telnet.cpp, function: no_telnet, params: [23]}
//
// It runs once a packet, on any of the block's threads at the same time, so it keeps nothing
// between packets. packet.data has packet.length bytes; where the queue splits headers from data it
// has the first bytes_at_data(packet) of them, and packet.rest the others. packet.headers says
// where the headers lie, all of them at packet.data. Bytes may be changed, the length may not.
// load_field() and write_field() know every field that a pipeline's file can name; write_field()
// keeps checksums right. A source is compiled with the headers that are in the program: this one and
// what it includes.
#pragma once

#include <cstdint>

#include "kernels/stages/field.hpp"
#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/user.hpp"

// For a GPU, NVRTC compiles the source as a part of the pipeline's kernel. It has no C++ library
// but <cstdint>, <cstddef>, <cstring>, <type_traits> and <concepts>.
//
// A shared object for a GPU too holds the function for both, from the same source:
//
//   nvcc -std=c++20 -x cu -rdc=true -fatbin -arch=sm_90 mine.cpp -o mine.fatbin
//   c++ -std=c++20 -shared -fPIC -DRINGSIDE_STAGE_CUDA='"mine.fatbin"' mine.cpp -o mine.so

/// Of PacketView and of what a stage is called with. An object that was built with another one is
/// refused.
inline constexpr std::uint32_t kRingsideStageLayout = 2;

#if defined(__CUDACC__)
#define RINGSIDE_STAGE_FUNCTION extern "C" __device__
#define RINGSIDE_STAGE_BODY __device__
#else
#define RINGSIDE_STAGE_FUNCTION extern "C" __attribute__((visibility("default")))
#define RINGSIDE_STAGE_BODY

extern "C" inline __attribute__((used, visibility("default"))) std::uint32_t
ringside_stage_layout() {
  return kRingsideStageLayout;
}

#if defined(RINGSIDE_STAGE_CUDA)
asm(".pushsection .rodata\n"
    ".balign 64\n"
    ".global ringside_stage_cuda\n"
    "ringside_stage_cuda:\n"
    ".incbin \"" RINGSIDE_STAGE_CUDA
    "\"\n"
    ".global ringside_stage_cuda_end\n"
    "ringside_stage_cuda_end:\n"
    ".popsection\n");
#endif
#endif

#define RINGSIDE_STAGE(name, packet, params)                                                     \
  namespace ringside::stages {                                                                   \
  RINGSIDE_STAGE_BODY static Next name##_stage(PacketView& packet, const std::uint64_t* params); \
  }                                                                                              \
  RINGSIDE_STAGE_FUNCTION ringside::stages::Next name(ringside::stages::PacketView& view,        \
                                                      const std::uint64_t* values) {             \
    return ringside::stages::name##_stage(view, values);                                         \
  }                                                                                              \
  RINGSIDE_STAGE_BODY ringside::stages::Next ringside::stages::name##_stage(                     \
      [[maybe_unused]] PacketView& packet, [[maybe_unused]] const std::uint64_t* params)
