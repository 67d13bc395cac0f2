// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "lib/gpu/align.hpp"
#include "lib/gpu/cuda_api.hpp"

namespace ringside {
namespace {

void* pointer_of(CUdeviceptr address) noexcept {
  return reinterpret_cast<void*>(address);
}

int errno_of(CUresult result) noexcept {
  switch (result) {
    case CUDA_SUCCESS:
      return 0;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return -ENOMEM;
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
      return -EEXIST;
    default:
      return -EPERM;
  }
}

}  // namespace

CudaMemory::CudaMemory(CUdevice device) : device_(device) {
  cuda().check(cuda().cuDevicePrimaryCtxRetain_(&context_, device),
               fmt::format("open CUDA device {}", device));
}

CudaMemory::~CudaMemory() {
  cuda().cuDevicePrimaryCtxRelease_(device_);
}

int CudaMemory::allocate(std::size_t size, std::size_t alignment, void** address) {
  if (address == nullptr) return -EINVAL;
  const std::size_t aligned = std::max(alignment, kPageSize);
  if ((aligned & (aligned - 1)) != 0) return -EINVAL;
  const ContextGuard current(context_);
  // Whole pages, since a dma-buf covers those and they must not be shared with another allocation.
  const std::size_t pages = round_up(size, kPageSize);
  CUdeviceptr base = 0;
  if (const CUresult result = cuda().cuMemAlloc_(&base, pages + aligned); result != CUDA_SUCCESS) {
    return errno_of(result);
  }
  const CUdeviceptr start = round_up(base, CUdeviceptr{aligned});
  unsigned on = 1;
  CUresult result = cuda().cuPointerSetAttribute_(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, base);
  if (result == CUDA_SUCCESS) result = cuda().cuMemsetD8_(start, 0, pages);
  if (result != CUDA_SUCCESS) {
    cuda().cuMemFree_(base);
    return errno_of(result);
  }
  const std::lock_guard lock(mutex_);
  *address = pointer_of(start);
  allocations_.emplace(*address, Allocation{base, size});
  return 0;
}

int CudaMemory::free(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return -EPERM;
  if (kernels_ != 0) return -EBUSY;
  if (gdr_copy_) gdr_copy_->unmap(reinterpret_cast<std::uintptr_t>(address));
  const ContextGuard current(context_);
  const CUresult result = cuda().cuMemFree_(found->second.base);
  allocations_.erase(found);
  return errno_of(result);
}

int CudaMemory::register_host(std::size_t size, void* address) {
  const std::lock_guard lock(mutex_);
  if (registrations_.contains(address)) return -EEXIST;
  const ContextGuard current(context_);
  const CUresult result = cuda().cuMemHostRegister_(
      address, size, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (result == CUDA_SUCCESS) registrations_.emplace(address, size);
  return errno_of(result);
}

int CudaMemory::unregister_host(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = registrations_.find(address);
  if (found == registrations_.end()) return -EPERM;
  if (kernels_ != 0) return -EBUSY;
  const ContextGuard current(context_);
  registrations_.erase(found);
  return errno_of(cuda().cuMemHostUnregister_(address));
}

int CudaMemory::map_to_cpu(std::size_t size, void* address, void** cpu_address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return -ENOENT;
  if (size > found->second.size) return -E2BIG;
  if (!gdr_copy_) gdr_copy_ = GdrCopy::open(GdrCopy::kLibrary, cpu_map_refusal_);
  if (!gdr_copy_) return -ENOTSUP;
  const ContextGuard current(context_);
  return gdr_copy_->map(reinterpret_cast<std::uintptr_t>(address), size, cpu_address);
}

int CudaMemory::unmap_from_cpu(void* address) {
  const std::lock_guard lock(mutex_);
  return gdr_copy_ ? gdr_copy_->unmap(reinterpret_cast<std::uintptr_t>(address)) : -ENOENT;
}

int CudaMemory::free_all() {
  const std::lock_guard lock(mutex_);
  if (kernels_ != 0) return -EBUSY;
  gdr_copy_.reset();  // with what is mapped
  const ContextGuard current(context_);
  for (const auto& [address, size] : registrations_) cuda().cuMemHostUnregister_(address);
  for (const auto& [address, allocation] : allocations_) cuda().cuMemFree_(allocation.base);
  registrations_.clear();
  allocations_.clear();
  return 0;
}

void CudaMemory::kernel_started(std::size_t processors) {
  const std::lock_guard lock(mutex_);
  ++kernels_;
  processors_taken_ += processors;
}

void CudaMemory::kernel_ended(std::size_t processors) {
  const std::lock_guard lock(mutex_);
  --kernels_;
  processors_taken_ -= processors;
}

std::size_t CudaMemory::processors_taken() const {
  const std::lock_guard lock(mutex_);
  return processors_taken_;
}

bool CudaMemory::kernel_runs() const {
  const std::lock_guard lock(mutex_);
  return kernels_ != 0;
}

std::optional<int> CudaMemory::export_fd(void* address, std::size_t size, std::string& why) const {
  const ContextGuard current(context_);
  int supported = 0;
  cuda().cuDeviceGetAttribute_(&supported, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, device_);
  if (supported == 0) {
    why = "the driver exports no dma-bufs on this machine (open kernel modules are needed)";
    return std::nullopt;
  }
  int fd = -1;
  const CUresult result = cuda().cuMemGetHandleForAddressRange_(
      &fd, reinterpret_cast<CUdeviceptr>(address), round_up(size, kPageSize),
      CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  if (result == CUDA_SUCCESS) return fd;
  why = cuda().text(result);
  return std::nullopt;
}

}  // namespace ringside
