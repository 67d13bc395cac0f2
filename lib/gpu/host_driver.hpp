// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The gpudev driver of a GPU made of host threads: --vdev=gpu_host0[,opaque=1][,memory=SIZE].
//   opaque=1     the CPU cannot touch device memory where the application has it; kernels can. It
//                stands for a GPU with memory of its own: a NIC reaches that by another path.
//   memory=SIZE  bytes, or with K, M or G; half of the machine's memory unless given
// It registers itself when the program starts, or when EAL loads it by -d.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/gpu/host_memory.hpp"

namespace ringside {

inline constexpr char kHostDriverName[] = "gpu_host";

/// The memory of a gpudev device that this copy of the driver drives; nullptr: it drives no such
/// device. Outlives the device, empty then.
std::shared_ptr<HostMemory> host_memory_of(const char* gpudev_name);

/// Logs, through EAL, what on an NVIDIA GPU would be a program that hangs: `cuda_call` waits for
/// resident kernels to end. `action`: "free", "unregister", ...
void log_freed_while_running(const char* device, const char* action, const char* cuda_call,
                             const void* address) noexcept;

}  // namespace ringside
