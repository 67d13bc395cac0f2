// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// CUDA's run-time compiler, opened when it is needed: a program runs without it, and then it runs
// the kernels that were built in.
#pragma once

#include <nvrtc.h>

#include <string>

namespace ringside {

// clang-format off
#define RINGSIDE_NVRTC_CALLS(X)                                                                   \
  X(nvrtcVersion) X(nvrtcGetErrorString) X(nvrtcGetNumSupportedArchs) X(nvrtcGetSupportedArchs)   \
  X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram)                             \
  X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN)
// clang-format on

struct NvrtcApi {
#define X(call) decltype(&::call) call##_ = nullptr;
  RINGSIDE_NVRTC_CALLS(X)
#undef X
};

/// nullptr where there is none; `why` then says so.
const NvrtcApi* nvrtc_api(std::string& why);

}  // namespace ringside
