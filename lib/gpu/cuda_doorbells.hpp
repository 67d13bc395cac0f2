// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Doorbell pages (UARs) of the NIC that a GPU writes: registered with the driver once a page.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "lib/gpu/cuda_memory.hpp"

namespace ringside {

class CudaDoorbells {
 public:
  explicit CudaDoorbells(std::shared_ptr<CudaMemory> memory) : memory_(std::move(memory)) {}

  /// As device memory (IoMemory) where the page is one, plainly where it is ordinary memory, as
  /// under softcx. Throws Error, with the remedy where the driver forbids it.
  std::uint64_t* map(std::uint64_t* doorbell);
  void unmap(std::uint64_t* doorbell) noexcept;

 private:
  struct Page {
    std::uintptr_t kernel_address;
    unsigned users;
  };

  const std::shared_ptr<CudaMemory> memory_;
  std::map<std::uintptr_t, Page> pages_;
};

}  // namespace ringside
