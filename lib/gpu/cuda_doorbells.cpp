// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_doorbells.hpp"

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/doorbell_refusal.hpp"

namespace ringside {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr unsigned kFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;

std::uintptr_t page_of(const std::uint64_t* doorbell) noexcept {
  return reinterpret_cast<std::uintptr_t>(doorbell) & ~(kPage - 1);
}

std::uintptr_t register_page(std::uintptr_t page) {
  void* const address = reinterpret_cast<void*>(page);
  CUresult result = cuda().cuMemHostRegister_(address, kPage, kFlags | CU_MEMHOSTREGISTER_IOMEMORY);
  if (result == CUDA_ERROR_INVALID_VALUE) {
    result = cuda().cuMemHostRegister_(address, kPage, kFlags);
  }
  if (result == CUDA_ERROR_NOT_PERMITTED) {
    throw doorbell_refusal(address, cuda().text(result));
  }
  cuda().check(result, fmt::format("map the NIC's doorbell page at {} to the GPU", address));
  CUdeviceptr mapped = 0;
  cuda().check(cuda().cuMemHostGetDevicePointer_(&mapped, address, 0),
               fmt::format("find the GPU's address of the doorbell page at {}", address));
  return mapped;
}

}  // namespace

std::uint64_t* CudaDoorbells::map(std::uint64_t* doorbell) {
  const std::uintptr_t page = page_of(doorbell);
  auto found = pages_.find(page);
  if (found == pages_.end()) {
    const CurrentContext current(memory_->context());
    found = pages_.emplace(page, Page{register_page(page), 0}).first;
  }
  ++found->second.users;
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(doorbell) - page;
  return reinterpret_cast<std::uint64_t*>(found->second.kernel_address + offset);
}

void CudaDoorbells::unmap(std::uint64_t* doorbell) noexcept {
  const auto found = pages_.find(page_of(doorbell));
  if (--found->second.users != 0) return;
  const ContextGuard current(memory_->context());
  cuda().cuMemHostUnregister_(reinterpret_cast<void*>(found->first));
  pages_.erase(found);
}

}  // namespace ringside
