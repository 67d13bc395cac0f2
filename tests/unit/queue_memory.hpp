// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the queues of a test lie: rings and records in a umem, and what only kernels use.
#pragma once

#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "mlx5_fixture.hpp"

namespace ringside::test {

class QueueMemory {
 public:
  QueueMemory(const mlx5::Context& context, std::size_t ring_bytes, std::size_t kernel_bytes)
      : rings_(ring_bytes),
        kernel_(kernel_bytes),
        umem_(context, rings_.memory.get(), ring_bytes),
        ring_arena_(umem_.id(), rings_.memory.get(), ring_bytes, rings_.access),
        kernel_arena_(mlx5::RingArena::kNoUmem, kernel_.memory.get(), kernel_bytes,
                      kernel_.access) {}

  mlx5::QueueArenas arenas() { return {ring_arena_, kernel_arena_}; }
  std::uint32_t umem_id() const { return umem_.id(); }
  /// A ring or record at the umem's start, by another umem's number if need be.
  mlx5::RingMemory start_of(std::uint32_t umem) {
    return {umem, 0, rings_.memory.get(), &rings_.access};
  }

 private:
  struct Part {
    explicit Part(std::size_t bytes) : memory(allocate_pages(bytes)) {}
    Pages memory;
    mlx5::DirectAccess access{memory.get()};
  };
  Part rings_;
  Part kernel_;
  mlx5::Umem umem_;
  mlx5::RingArena ring_arena_;
  mlx5::RingArena kernel_arena_;
};

}  // namespace ringside::test
