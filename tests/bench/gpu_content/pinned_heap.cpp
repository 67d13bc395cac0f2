// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu_content/pinned_heap.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/bench/gpu_content/launch.hpp"

namespace {

std::uint8_t* g_begin = nullptr;
std::size_t g_size = 0;
std::atomic<std::size_t> g_used{0};

/// Given away and never taken back: the program is short.
void* take(std::size_t bytes, std::size_t alignment) {
  if (g_begin == nullptr)
    return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  const std::size_t room = bytes + alignment;
  const std::size_t at = (g_used.fetch_add(room) + alignment) / alignment * alignment;
  return at + bytes <= g_size ? g_begin + at : nullptr;
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give(void* memory) {
  auto* const byte = static_cast<std::uint8_t*>(memory);
  if (byte < g_begin || byte >= g_begin + g_size) std::free(memory);
}

}  // namespace

bool ringside::bench::pinned_heap::use(std::size_t bytes) {
  auto* const memory = static_cast<std::uint8_t*>(allocate_pinned(bytes));
  g_size = bytes;
  g_begin = memory;
  return memory != nullptr;
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
