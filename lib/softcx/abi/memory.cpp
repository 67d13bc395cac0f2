// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory regions and umems.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/nic/memory_view.hpp"

using namespace softcx;

namespace {

struct MrHandle final : ibv_mr, FileResource {
  Device* device = nullptr;
  std::uint32_t pdn = 0;
  std::uint32_t key = 0;  ///< what the NIC knows; ibv_mr::lkey is what the application is told

  bool release() override {
    const std::lock_guard lock(device->control());
    if (device->find_mkey(key)->references != 0) return false;
    device->remove_mkey(key);
    --device->pds.at(pdn).references;
    return true;
  }
};

struct UmemHandle final : mlx5dv_devx_umem, FileResource {
  OpenFile* file = nullptr;

  bool release() override {
    Device& device = file->device();
    const std::lock_guard lock(device.control());
    const auto found = device.umems.find(umem_id);
    if (found->second->references != 0) return false;
    // Queues and keys that lay in it have waited for the engine thread when they were destroyed.
    unmap_memory(found->second->memory);
    device.umems.erase(found);
    return true;
  }
};

/// errno value for access flags that cannot be had, or 0.
int check_access(unsigned access) {
  constexpr unsigned kKnown = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                              IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                              IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE;
  if ((access & ~kKnown) != 0) return EOPNOTSUPP;
  const bool remote_changes = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  return remote_changes && (access & IBV_ACCESS_LOCAL_WRITE) == 0 ? EINVAL : 0;
}

/// A umem lies in pages of one of the sizes that its user takes: 4 KiB, or larger ones up to its
/// own length.
bool has_page_size(std::uint64_t sizes, std::uint64_t length) {
  constexpr std::uint64_t kAdapterPage = 4096;
  const std::uint64_t largest = std::bit_ceil(std::max(length, kAdapterPage));
  return (sizes & (2 * largest - 1) & ~(kAdapterPage - 1)) != 0;
}

/// --fault=bad-mkey: of the same index, but of an earlier life of the key.
std::uint32_t key_to_tell(const Device& device, std::uint32_t key) {
  return device.fault(FaultKind::kBadMkey) == nullptr ? key : key ^ 1U;
}

/// As map_memory(), of a kernel with the faults of `device`.
int map_address(const Device& device, const void* address, std::uint64_t length, bool write,
                Memory& memory) {
  const bool refused =
      device.fault(FaultKind::kNoPeermem) != nullptr && is_gpu_memory(address, length);
  if (refused) return EFAULT;
  const int error = map_memory(address, length, write, memory);
  memory.origin = reinterpret_cast<std::uintptr_t>(address);
  return error;
}
int map_buffer(const Device& device, int fd, std::uint64_t offset, std::uint64_t length,
               std::uint64_t address, Memory& memory) {
  if (device.fault(FaultKind::kNoDmabuf) != nullptr) return EOPNOTSUPP;
  // Its address is the program's choice, and says nothing of what the buffer shares with others.
  return map_dmabuf(fd, offset, length, address, memory);
}

/// Takes over `memory`, also when it fails.
ibv_mr* add_mr(ibv_pd* pd, void* address, std::uint64_t iova, unsigned access,
               const Memory& memory) {
  OpenFile& file = file_of(pd->context);
  Device& device = file.device();
  if (std::string why;
      memory.copy_engine != nullptr && !device.engine->attach(*memory.copy_engine, why)) {
    print_line("GPU memory cannot be registered: " + why);
    return failed_with<ibv_mr>(EIO);
  }
  auto key = std::make_unique<Mkey>();
  key->pdn = of(pd).pdn;
  key->iova = iova;
  key->local_write = (access & IBV_ACCESS_LOCAL_WRITE) != 0;
  key->memory = memory;
  auto handle = std::make_unique<MrHandle>();
  {
    const std::lock_guard lock(device.control());
    handle->key = device.add_mkey(std::move(key));
    if (handle->key == 0) {
      unmap_memory(memory);
      return failed_with<ibv_mr>(ENOMEM);
    }
    ++device.pds.at(of(pd).pdn).references;
  }
  handle->lkey = handle->rkey = key_to_tell(device, handle->key);
  handle->context = pd->context;
  handle->pd = pd;
  handle->addr = address;
  handle->length = memory.length;
  handle->handle = handle->key;
  handle->device = &device;
  handle->pdn = of(pd).pdn;
  return file.keep(std::move(handle));
}

ibv_mr* register_memory(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova,
                        unsigned access) {
  return guarded<ibv_mr*>(nullptr, [&]() -> ibv_mr* {
    if (const int error = check_access(access); error != 0) return failed_with<ibv_mr>(error);
    Memory memory;
    const bool write = (access & IBV_ACCESS_LOCAL_WRITE) != 0;
    const Device& device = device_of(pd->context);
    if (const int error = map_address(device, address, length, write, memory); error != 0) {
      log_line("memory region of {} bytes at {}: errno {}", length, fmt::ptr(address), error);
      return failed_with<ibv_mr>(error);
    }
    return add_mr(pd, address, iova, access, memory);
  });
}

mlx5dv_devx_umem* add_umem(ibv_context* context, bool local_write, const Memory& memory) {
  OpenFile& file = file_of(context);
  Device& device = file.device();
  auto umem = std::make_unique<Umem>();
  umem->local_write = local_write;
  umem->memory = memory;
  auto handle = std::make_unique<UmemHandle>();
  handle->file = &file;
  {
    const std::lock_guard lock(device.control());
    handle->umem_id = umem->id = device.allocate_id();
    device.umems.emplace(handle->umem_id, std::move(umem));
  }
  return file.keep(std::move(handle));
}

}  // namespace

// The header's macros of these names choose between them and ibv_reg_mr_iova2.
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  return register_memory(pd, addr, length, reinterpret_cast<std::uintptr_t>(addr),
                         static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova,
                        int access) {
  return register_memory(pd, addr, length, iova, static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova,
                         unsigned int access) {
  return register_memory(pd, addr, length, iova, access);
}

ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, std::uint64_t offset, std::size_t length, std::uint64_t iova,
                          int fd, int access) {
  return guarded<ibv_mr*>(nullptr, [&]() -> ibv_mr* {
    constexpr std::uint64_t kInPage = 4095;
    if (const int error = check_access(static_cast<unsigned>(access)); error != 0) {
      return failed_with<ibv_mr>(error);
    }
    // As the kernel: pages are mapped as a whole.
    if ((offset & kInPage) != (iova & kInPage)) return failed_with<ibv_mr>(EINVAL);
    Memory memory;
    const Device& device = device_of(pd->context);
    if (const int error = map_buffer(device, fd, offset, length, iova, memory); error != 0) {
      return failed_with<ibv_mr>(error);
    }
    return add_mr(pd, nullptr, iova, static_cast<unsigned>(access), memory);
  });
}

int ibv_dereg_mr(ibv_mr* mr) {
  auto* const handle = static_cast<MrHandle*>(mr);
  if (!handle->release()) {
    log_line("memory region {:#x} is part of an indirect key", mr->lkey);
    return EBUSY;
  }
  file_of(mr->context).drop(handle);
  return 0;
}

mlx5dv_devx_umem* mlx5dv_devx_umem_reg(ibv_context* context, void* addr, std::size_t size,
                                       std::uint32_t access) {
  mlx5dv_devx_umem_in in{};
  in.addr = addr;
  in.size = size;
  in.access = access;
  in.pgsz_bitmap = ~std::uint64_t{0xfff};
  return mlx5dv_devx_umem_reg_ex(context, &in);
}

mlx5dv_devx_umem* mlx5dv_devx_umem_reg_ex(ibv_context* context, mlx5dv_devx_umem_in* in) {
  return guarded<mlx5dv_devx_umem*>(nullptr, [&]() -> mlx5dv_devx_umem* {
    if ((in->comp_mask & ~std::uint64_t{MLX5DV_UMEM_MASK_DMABUF}) != 0) {
      return failed_with<mlx5dv_devx_umem>(EOPNOTSUPP);
    }
    if (const int error = check_access(in->access); error != 0) {
      return failed_with<mlx5dv_devx_umem>(error);
    }
    if (!has_page_size(in->pgsz_bitmap, in->size)) {
      log_line("umem of {} bytes: pgsz_bitmap {:#x} has no page size from 4 KiB to its length",
               in->size, in->pgsz_bitmap);
      return failed_with<mlx5dv_devx_umem>(EINVAL);
    }
    const bool write = (in->access & IBV_ACCESS_LOCAL_WRITE) != 0;
    Memory memory;
    const Device& device = device_of(context);
    const int error =
        (in->comp_mask & MLX5DV_UMEM_MASK_DMABUF) != 0
            ? map_buffer(device, in->dmabuf_fd, reinterpret_cast<std::uintptr_t>(in->addr),
                         in->size, 0, memory)
            : map_address(device, in->addr, in->size, write, memory);
    if (error != 0) {
      log_line("umem of {} bytes at {}: errno {}", in->size, fmt::ptr(in->addr), error);
      return failed_with<mlx5dv_devx_umem>(error);
    }
    if (memory.copy_engine != nullptr) {
      log_line("umem at {}: rings and records in GPU memory are out of the software NIC's reach",
               fmt::ptr(in->addr));
      return failed_with<mlx5dv_devx_umem>(EOPNOTSUPP);
    }
    return add_umem(context, write, memory);
  });
}

int mlx5dv_devx_umem_dereg(mlx5dv_devx_umem* umem) {
  auto* const handle = static_cast<UmemHandle*>(umem);
  if (!handle->release()) {
    log_line("umem {:#x} is still in use by queues or keys", umem->umem_id);
    return EBUSY;
  }
  handle->file->drop(handle);
  return 0;
}
