// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Loads and stores whose other party is the NIC or the CPU. Each name spells order and scope;
// `system` is everything that the PCIe fabric joins: all GPUs, the CPU, the NIC.
//
// T is trivially copyable, of 1 (loads only), 4 or 8 bytes, naturally aligned.
//
// The pairs: the NIC's CQE write meets load_acquire_system of its op_own; store_release_system of a
// doorbell record and ring_doorbell meet the NIC's reads of the ring that follow. A release also
// covers what other threads of the block wrote before a barrier that came before it.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside {

/// Later accesses of this thread stay after it.
template <class T>
RS_DEVICE T load_acquire_system(const T* address);

/// No order, but a whole value, read anew each time.
template <class T>
RS_DEVICE T load_relaxed_system(const T* address);

/// Earlier accesses of this thread, loads included, stay before it.
template <class T>
RS_DEVICE void store_release_system(T* address, T value);

/// No order, but a whole value.
template <class T>
RS_DEVICE void store_relaxed_system(T* address, T value);

/// Writes a UAR doorbell: one 8-byte store that is never split, merged or delayed. Everything that
/// was stored before it, doorbell records included, is visible to the NIC first.
RS_DEVICE void ring_doorbell(std::uint64_t* doorbell, std::uint64_t value);

}  // namespace ringside

#if defined(__CUDACC__)
#include "lib/device/impl/memory_cuda.hpp"
#else
#include "lib/device/impl/memory_host.hpp"
#endif
