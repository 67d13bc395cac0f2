// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet mempool that is freed with its owner. All of its mbufs must be back by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace ringside {

struct MempoolConfig {
  std::string name;  ///< unique, below 26 characters
  std::uint32_t mbufs;
  std::uint16_t mbuf_size;  ///< bytes of a buffer, headroom included
  std::uint32_t cache = 0;  ///< mbufs an lcore keeps for itself
  int socket = -1;          ///< NUMA node; -1: any
};

class Mempool {
 public:
  struct Area {
    void* data;
    std::uint64_t iova;
    std::size_t size;
  };

  Mempool() = default;
  /// Buffers in EAL's memory. Throws Error.
  explicit Mempool(const MempoolConfig& config);
  /// Buffers in `area`, one every `element_size` bytes, pinned to their mbufs; the mbufs themselves
  /// are in EAL's memory. Throws Error, also when the area is too small.
  Mempool(const MempoolConfig& config, const Area& area, std::uint16_t element_size);

  rte_mempool* get() const noexcept { return pool_.get(); }
  std::uint32_t size() const noexcept;
  /// True when no mbuf is in use.
  bool full() const noexcept;

  /// `count` mbufs, or none: throws Error that tells how many are free. Mbufs in the caches of
  /// other lcores do not count as free.
  std::vector<rte_mbuf*> take(std::size_t count);
  void give_back(std::span<rte_mbuf* const> mbufs) noexcept;

 private:
  struct Deleter {
    void operator()(rte_mempool* pool) const noexcept;
  };
  std::unique_ptr<rte_mempool, Deleter> pool_;
};

}  // namespace ringside
