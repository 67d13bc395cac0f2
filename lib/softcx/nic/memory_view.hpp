// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The NIC's own view of memory that the application registers. A real NIC pins pages: what the
// application does to its mapping afterwards does not concern it. Pages of a shared file mapping
// (hugepages, a memfd) are mapped a second time here, which has the same effect and also reaches
// memory that the application itself may not touch (PROT_NONE). Private memory cannot be mapped
// twice: it is used where it lies, and must stay until it is deregistered. Memory of a GPU has no
// view: its bytes are moved by a copy engine (Memory::copy_engine).
#pragma once

#include <cstdint>

#include "lib/softcx/nic/objects.hpp"

namespace softcx {

/// Fills `memory` for [address, address + length). Returns 0 or an errno value: EFAULT where the
/// range is not mapped as a whole or does not allow the access, EINVAL where it is empty or wraps.
int map_memory(const void* address, std::uint64_t length, bool write, Memory& memory);

/// The same for `length` bytes at `offset` of a dma-buf or memfd. Of a GPU's dma-buf `address` is
/// what CUDA calls them. Returns 0 or an errno value.
int map_dmabuf(int fd, std::uint64_t offset, std::uint64_t length, std::uint64_t address,
               Memory& memory);

/// Is there memory of a GPU in [address, address + length)? That is what the CPU cannot reach, and
/// what a gpu_host device made: a memfd of the device's name.
bool is_gpu_memory(const void* address, std::uint64_t length);

/// Gives back what map_memory or map_dmabuf mapped.
void unmap_memory(const Memory& memory);

}  // namespace softcx
