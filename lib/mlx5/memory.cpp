// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/memory.hpp"

#include <infiniband/mlx5dv.h>

#include <cerrno>

namespace ringside::mlx5 {

namespace {

// An int: ibv_reg_mr is a macro that mixes it with flags of another enumeration.
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE;

/// Page sizes that the device may use for a umem: 4 KiB and all above.
constexpr std::uint64_t kPageSizes = ~std::uint64_t{4096 - 1};
constexpr const char* kMemlockRemedy =
    "raise the limit of locked memory (ulimit -l unlimited), or lower the ring sizes";
constexpr const char* kPeerRemedy =
    "GPU memory needs nvidia-peermem, or a driver and kernel with dma-buf for it";

}  // namespace

bool takes_dmabuf(const Pd& pd) {
  constexpr int kNoFile = -1;
  const MemoryKey::Handle none(ibv_reg_dmabuf_mr(pd.get(), 0, 0, 0, kNoFile, 0));
  // A kernel that knows it finds fault with the descriptor.
  return none != nullptr || (errno != EOPNOTSUPP && errno != EPROTONOSUPPORT);
}

void Umem::Deregister::operator()(mlx5dv_devx_umem* umem) const noexcept {
  mlx5dv_devx_umem_dereg(umem);
}

Umem::Umem(const Context& context, void* address, std::size_t size)
    : umem_(mlx5dv_devx_umem_reg(context.get(), address, size, kAccess)) {
  if (umem_ == nullptr) {
    throw Error(fmt::format("{}: cannot register {} bytes for rings, {}", context.name(), size,
                            errno_text(errno)),
                kMemlockRemedy);
  }
}

Umem::Umem(const Context& context, DmaBuf buffer, std::size_t size) {
  mlx5dv_devx_umem_in in{};
  in.addr = reinterpret_cast<void*>(buffer.offset);  // with a dma-buf: the offset in it
  in.size = size;
  in.access = kAccess;
  in.pgsz_bitmap = kPageSizes;
  in.comp_mask = MLX5DV_UMEM_MASK_DMABUF;
  in.dmabuf_fd = buffer.fd;
  umem_.reset(mlx5dv_devx_umem_reg_ex(context.get(), &in));
  if (umem_ == nullptr) {
    throw Error(fmt::format("{}: cannot register {} bytes of a dma-buf for rings, {}",
                            context.name(), size, errno_text(errno)),
                kPeerRemedy);
  }
}

std::uint32_t Umem::id() const noexcept {
  return umem_->umem_id;
}

MemoryKey::MemoryKey(const Pd& pd, void* address, std::size_t size)
    : mr_(ibv_reg_mr(pd.get(), address, size, kAccess)) {
  if (mr_ == nullptr) {
    throw Error(
        fmt::format("cannot register {} bytes of packet buffers, {}", size, errno_text(errno)),
        errno == ENOMEM ? kMemlockRemedy : kPeerRemedy);
  }
}

MemoryKey::MemoryKey(const Pd& pd, DmaBuf buffer, std::size_t size, std::uint64_t iova)
    : mr_(ibv_reg_dmabuf_mr(pd.get(), buffer.offset, size, iova, buffer.fd, kAccess)) {
  if (mr_ == nullptr) {
    throw Error(fmt::format("cannot register {} bytes of packet buffers by dma-buf, {}", size,
                            errno_text(errno)),
                kPeerRemedy);
  }
}

}  // namespace ringside::mlx5
