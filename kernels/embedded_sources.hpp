// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The headers that chains and kernels are compiled from when a pipeline starts, as they were built
// in: the program and what it compiles then agree, whatever becomes of a source tree.
#pragma once

#include <span>

namespace ringside {

struct SourceFile {
  const char* name;  ///< as #include has it
  const char* text;
};

std::span<const SourceFile> embedded_sources();
/// What stands in for the C++ library, which NVRTC has none of.
std::span<const SourceFile> embedded_cuda_library();

}  // namespace ringside
