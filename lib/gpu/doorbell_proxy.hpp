// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Doorbells that a CPU thread rings for kernels that cannot write the NIC's registers.
//
// A kernel takes a request word in pinned memory for the register: it writes WQEs, then the
// doorbell record, then the doorbell's value into the word (ring_doorbell()), and the thread stores
// what it finds there into the register. The NIC looks at the record when rung, so a value that the
// thread never saw, because a later one replaced it, costs nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "lib/gpu/block_threads.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/mlx5/format/doorbell_target.hpp"

namespace ringside {

class DoorbellProxy {
 public:
  /// `gpu` outlives it. `cpus`: that the thread may use; empty: all.
  DoorbellProxy(GpuDevice& gpu, std::vector<unsigned> cpus) : gpu_(gpu), cpus_(std::move(cpus)) {}
  ~DoorbellProxy() { stop(); }
  DoorbellProxy(const DoorbellProxy&) = delete;
  DoorbellProxy& operator=(const DoorbellProxy&) = delete;

  /// The request word of a register, as kernels write it. Not between start() and stop(). Throws
  /// Error.
  DoorbellTarget add(std::uint64_t* doorbell);
  /// Before kernels start: what was rung before is forgotten, since a queue that was reset rings
  /// with values that it has rung with before. Nothing where there is no word. Throws Error.
  void start();
  /// The same of one word, of add(), while the kernel that rings by it has its queue reset and does
  /// not ring. false: not yet, ask again. Of another address there is nothing to forget.
  bool forget(const std::uint64_t* word) noexcept;
  /// After kernels have ended: all that they asked for is rung when it returns.
  void stop() noexcept;

 private:
  struct alignas(64) Word {  // a line each: each has another writer
    std::uint64_t value;
  };
  struct Request {
    Word* word;
    std::uint64_t* kernel_word;
    std::uint64_t* doorbell;
    std::uint64_t rung;     ///< the thread's, and read by forget()
    std::uint64_t forgets;  ///< forget()'s
  };
  static constexpr std::size_t kWordsAPage = 4096 / sizeof(Word);

  void run() noexcept;
  static bool pass_on(Request& request) noexcept;

  GpuDevice& gpu_;
  const std::vector<unsigned> cpus_;
  std::deque<GpuMemory> pages_;
  std::vector<Request> requests_;  ///< the thread's while it runs
  std::atomic<bool> stopping_{false};
  std::unique_ptr<BlockThreads> thread_;
};

}  // namespace ringside
