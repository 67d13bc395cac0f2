// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The headers that kernels are compiled from when a pipeline starts, as they were built in.
#pragma once

#include <span>

namespace ringside {

struct SourceFile {
  const char* name;  ///< as #include has it
  const char* text;
};

std::span<const SourceFile> embedded_sources();

}  // namespace ringside
