// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/pinned_heap.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <new>

namespace {

// Blocks of 2^k bytes lie in pieces of their own, so that an address tells its block's size; what
// is larger than a piece is given away once and never taken back.
constexpr std::size_t kPiece = 65536;
constexpr int kLogLeast = 6;
constexpr int kSizes = 17;

struct Free {
  Free* next;
};

std::uint8_t* g_begin = nullptr;
std::uint8_t* g_end = nullptr;
std::uint8_t* g_next = nullptr;
std::uint8_t g_log_size[1 << 16];  // of each piece's blocks; 0: part of something larger
Free* g_free[kSizes];
std::mutex g_mutex;

std::size_t piece_of(const void* memory) {
  return static_cast<std::size_t>(static_cast<const std::uint8_t*>(memory) - g_begin) / kPiece;
}

void* take_pieces(std::size_t bytes) {
  const std::size_t rounded = (bytes + kPiece - 1) / kPiece * kPiece;
  if (rounded > static_cast<std::size_t>(g_end - g_next)) return nullptr;
  void* const memory = g_next;
  g_next += rounded;
  return memory;
}

void* take(std::size_t bytes, std::size_t alignment) {
  const std::size_t least =
      std::bit_ceil(std::max({bytes, alignment, std::size_t{1} << kLogLeast}));
  if (g_begin == nullptr) return std::aligned_alloc(alignment, least);
  const std::lock_guard lock(g_mutex);
  if (least >= kPiece) return take_pieces(bytes);
  const int log_size = std::countr_zero(least);
  if (g_free[log_size] == nullptr) {
    auto* const piece = static_cast<std::uint8_t*>(take_pieces(kPiece));
    if (piece == nullptr) return nullptr;
    g_log_size[piece_of(piece)] = static_cast<std::uint8_t>(log_size);
    for (std::size_t at = 0; at < kPiece; at += least) {
      g_free[log_size] = new (piece + at) Free{g_free[log_size]};
    }
  }
  Free* const block = g_free[log_size];
  g_free[log_size] = block->next;
  return block;
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give(void* memory) {
  if (memory < g_begin || memory >= g_end) return std::free(memory);
  const std::lock_guard lock(g_mutex);
  const int log_size = g_log_size[piece_of(memory)];
  if (log_size != 0) g_free[log_size] = new (memory) Free{g_free[log_size]};
}

}  // namespace

bool ringside::test::gpu::pinned_heap::use(std::size_t bytes) {
  void* memory = nullptr;
  const auto flags = cudaHostAllocMapped | cudaHostAllocPortable;
  if (cudaHostAlloc(&memory, bytes, flags) != cudaSuccess) return false;
  if (bytes / kPiece > std::size(g_log_size)) return false;
  g_begin = g_next = static_cast<std::uint8_t*>(memory);
  g_end = g_begin + bytes;
  return true;
}

void* operator new(std::size_t bytes) {
  return take_or_throw(bytes, 64);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give(memory);
}
