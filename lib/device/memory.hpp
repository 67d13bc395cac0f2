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
//
// `device` is the GPU's blocks (all host threads on the host): what blocks that share a queue agree
// by. GPU atomics never touch host memory: the words lie in the GPU's.
#pragma once

#include <cstddef>
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

/// Stores with release, then loads with acquire, and the load does not pass the store. Of two
/// parties that each store one word and then load the other's, one sees what the other stored.
/// 8 bytes.
template <class T>
RS_DEVICE T store_then_load_system(T* to, T value, const T* from);

/// Writes a UAR doorbell: one 8-byte store that is never split, merged or delayed. Everything that
/// was stored before it, doorbell records included, is visible to the NIC first. One thread at a
/// time for a queue.
RS_DEVICE void ring_doorbell(std::uint64_t* doorbell, std::uint64_t value);

/// The same where all that the NIC reads then, the packets too, lies in this GPU's own memory: it
/// reads through the L2 cache, where a store is once the device sees it, so device scope is enough
/// and half the price.
RS_DEVICE void ring_doorbell_device(std::uint64_t* doorbell, std::uint64_t value);

/// Acquire and release between the blocks of one device. 4 or 8 bytes.
template <class T>
RS_DEVICE T load_acquire_device(const T* address);
template <class T>
RS_DEVICE void store_release_device(T* address, T value);

/// If *address is `expected`, makes it `desired`; returns what was there. 8 bytes.
template <class T>
RS_DEVICE T compare_exchange_relaxed_device(T* address, T expected, T desired);
/// The same, and later accesses of this thread stay after it.
template <class T>
RS_DEVICE T compare_exchange_acquire_device(T* address, T expected, T desired);

/// The same between the threads of one block (all host threads on the host): on a GPU they neither
/// empty the L1 cache nor wait for stores to leave the SM.
template <class T>
RS_DEVICE T load_acquire_block(const T* address);
template <class T>
RS_DEVICE void store_release_block(T* address, T value);
template <class T>
RS_DEVICE T compare_exchange_acquire_block(T* address, T expected, T desired);

/// Adds, without order, between the threads of one block; in its shared memory too. 8 bytes.
RS_DEVICE void add_relaxed_block(std::uint64_t* address, std::uint64_t by);

}  // namespace ringside

#if defined(__CUDACC__)
#include "lib/device/impl/memory_cuda.hpp"
#else
#include "lib/device/impl/memory_host.hpp"
#endif
