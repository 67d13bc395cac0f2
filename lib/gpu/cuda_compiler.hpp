// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// From source text to machine code of one GPU architecture, by NVRTC. Needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/gpu/kernel_source.hpp"

namespace ringside {

/// Relocatable machine code for `architecture` (90: sm_90), or what a run before this one has kept
/// of it (kernel_cache.hpp). Throws usage_error with what the compiler says, each message as
/// FILE:LINE: ... nullopt: there is no compiler, or none for this architecture; `why_not` says which.
std::optional<std::vector<char>> compile_for_cuda(const KernelSource& source, int architecture,
                                                  std::string& why_not);

}  // namespace ringside
