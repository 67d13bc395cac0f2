// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory of a GPU. What knows about it is a library of its own beside this one, libsoftcx_gpu.so,
// which is loaded when the process has loaded CUDA: without either there is no such memory.
#pragma once

#include <cstdint>

#include "lib/softcx/nic/objects.hpp"

namespace softcx {

/// Has the process loaded CUDA?
bool cuda_is_loaded();

/// Control path: is [address, address + length) memory of a GPU? Then fills `memory` and returns 0,
/// or returns an errno value when it cannot be had (said on stderr). ENOENT: it is not.
int find_device_memory(std::uint64_t address, std::uint64_t length, Memory& memory);

}  // namespace softcx
