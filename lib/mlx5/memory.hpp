// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory that the NIC may reach: umems hold rings and doorbell records, memory keys cover packets.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lib/mlx5/domain.hpp"

struct mlx5dv_devx_umem;

namespace ringside::mlx5 {

/// A part of a dma-buf.
struct DmaBuf {
  int fd;
  std::uint64_t offset;
};

/// Does the kernel know the registration of dma-bufs? None is registered to find out.
bool takes_dmabuf(const Pd& pd);

/// Registered memory for rings. Deregistration fails while a queue lies in it.
class Umem {
 public:
  /// Memory that the CPU can map (or that peermem knows).
  Umem(const Context& context, void* address, std::size_t size);
  /// Device memory, by its dma-buf.
  Umem(const Context& context, DmaBuf buffer, std::size_t size);
  std::uint32_t id() const noexcept;

 private:
  struct Deregister {
    void operator()(mlx5dv_devx_umem* umem) const noexcept;
  };
  std::unique_ptr<mlx5dv_devx_umem, Deregister> umem_;
};

/// Memory key of a packet buffer region, local read and write.
class MemoryKey {
 public:
  /// Memory that the CPU can map, or GPU memory through nvidia-peermem.
  MemoryKey(const Pd& pd, void* address, std::size_t size);
  /// GPU memory through its dma-buf; WQEs address it from `iova` on.
  MemoryKey(const Pd& pd, DmaBuf buffer, std::size_t size, std::uint64_t iova);
  std::uint32_t lkey() const noexcept { return mr_->lkey; }

 private:
  friend bool takes_dmabuf(const Pd& pd);
  struct Deregister {
    void operator()(ibv_mr* mr) const noexcept { ibv_dereg_mr(mr); }
  };
  using Handle = std::unique_ptr<ibv_mr, Deregister>;
  Handle mr_;
};

}  // namespace ringside::mlx5
