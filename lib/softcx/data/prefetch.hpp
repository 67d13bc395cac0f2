// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fetches memory into the cache ahead of its use. Devices and other CPUs have just written most of
// what an engine reads, and hold what it writes: without this it waits for each line by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace softcx {

inline constexpr std::size_t kCacheLineBytes = 64;
/// What is longer follows by itself: CPUs recognise the stream.
inline constexpr std::uint32_t kLongestPrefetch = 2048;

// Any address will do: a wrong one has no effect. Always inlined, and so must be what calls them
// and does nothing else: GCC drops calls of functions that have no effect but to prefetch.

[[gnu::always_inline]] inline void prefetch_read(const void* begin, std::uint32_t length) noexcept {
  const auto* at = static_cast<const std::uint8_t*>(begin);
  __builtin_prefetch(at);
  if (length <= kCacheLineBytes) return;
  const std::size_t end = std::min(length, kLongestPrefetch);
  for (std::size_t i = kCacheLineBytes; i < end; i += kCacheLineBytes) __builtin_prefetch(at + i);
}
[[gnu::always_inline]] inline void prefetch_write(const void* begin,
                                                  std::uint32_t length) noexcept {
  const auto* at = static_cast<const std::uint8_t*>(begin);
  __builtin_prefetch(at, 1);
  if (length <= kCacheLineBytes) return;
  const std::size_t end = std::min(length, kLongestPrefetch);
  for (std::size_t i = kCacheLineBytes; i < end; i += kCacheLineBytes) {
    __builtin_prefetch(at + i, 1);
  }
}

}  // namespace softcx
