// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_doorbells.hpp"

#include <map>
#include <mutex>

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/doorbell_refusal.hpp"

namespace ringside {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr unsigned kFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;

struct Page {
  std::shared_ptr<CudaMemory> registered_by;  ///< keeps its context
  bool is_io;
  unsigned users;
};

struct Pages {
  std::mutex mutex;
  std::map<std::uintptr_t, Page> by_address;
};

Pages& pages() {
  static Pages of_process;
  return of_process;
}

std::uintptr_t page_of(const std::uint64_t* doorbell) noexcept {
  return reinterpret_cast<std::uintptr_t>(doorbell) & ~(kPage - 1);
}

/// Is it I/O memory?
bool register_page(std::uintptr_t page) {
  void* const address = reinterpret_cast<void*>(page);
  const CUresult as_io =
      cuda().cuMemHostRegister_(address, kPage, kFlags | CU_MEMHOSTREGISTER_IOMEMORY);
  if (as_io == CUDA_SUCCESS) return true;
  if (as_io == CUDA_ERROR_NOT_PERMITTED) throw doorbell_refusal(address, cuda().text(as_io));
  const CUresult plainly = cuda().cuMemHostRegister_(address, kPage, kFlags);
  if (plainly == CUDA_SUCCESS) return false;
  throw doorbell_refusal(address, fmt::format("as I/O memory {}, as ordinary memory {}",
                                              cuda().text(as_io), cuda().text(plainly)));
}

/// One user less. The pages are locked.
void unmap_page(std::map<std::uintptr_t, Page>::iterator page) noexcept {
  if (--page->second.users != 0) return;
  const ContextGuard current(page->second.registered_by->context());
  cuda().cuMemHostUnregister_(reinterpret_cast<void*>(page->first));
  pages().by_address.erase(page);
}

}  // namespace

DoorbellView CudaDoorbells::map(const std::shared_ptr<CudaMemory>& memory,
                                std::uint64_t* doorbell) {
  const std::uintptr_t page = page_of(doorbell);
  const std::lock_guard lock(pages().mutex);
  const CurrentContext current(memory->context());
  auto found = pages().by_address.find(page);
  if (found == pages().by_address.end()) {
    const bool is_io = register_page(page);
    found = pages().by_address.emplace(page, Page{memory, is_io, 0}).first;
  }
  ++found->second.users;
  void* const address = reinterpret_cast<void*>(page);
  CUdeviceptr mapped = 0;
  if (const CUresult result = cuda().cuMemHostGetDevicePointer_(&mapped, address, 0);
      result != CUDA_SUCCESS) {
    unmap_page(found);
    throw doorbell_refusal(address, cuda().text(result));
  }
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(doorbell) - page;
  return {reinterpret_cast<std::uint64_t*>(mapped + offset),
          found->second.is_io ? "I/O memory" : "ordinary memory"};
}

void CudaDoorbells::unmap(std::uint64_t* doorbell) noexcept {
  const std::lock_guard lock(pages().mutex);
  unmap_page(pages().by_address.find(page_of(doorbell)));
}

}  // namespace ringside
