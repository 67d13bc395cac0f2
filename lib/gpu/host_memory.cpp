// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "lib/gpu/align.hpp"

namespace ringside {
namespace {

std::uintptr_t key(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

int HostMemory::allocate(std::size_t size, std::size_t alignment, void** address) {
  if (size > config_.total) return -ENOMEM;
  size = round_up(size, kPageSize);
  alignment = std::max(alignment, kPageSize);
  const std::lock_guard lock(mutex_);
  if (size > config_.total - used_) return -ENOMEM;

  Allocation made;
  made.fd = UniqueFd(::memfd_create(config_.name.c_str(), MFD_CLOEXEC));
  if (!made.fd || ::ftruncate(made.fd.get(), static_cast<off_t>(size)) != 0) return -ENOMEM;
  constexpr int kReadWrite = PROT_READ | PROT_WRITE;
  made.application =
      Mapping::map(made.fd.get(), size, alignment, config_.opaque ? PROT_NONE : kReadWrite);
  if (!made.application) return -ENOMEM;
  if (config_.opaque) {
    made.view = Mapping::map(made.fd.get(), size, alignment, kReadWrite);
    if (!made.view) return -ENOMEM;
  }
  *address = made.application.data();
  allocations_.emplace(key(*address), std::move(made));
  used_ += size;
  return 0;
}

int HostMemory::free(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(key(address));
  if (found == allocations_.end()) return -ENOENT;
  if (kernel_runs()) return -EBUSY;
  used_ -= found->second.application.size();
  allocations_.erase(found);
  return 0;
}

int HostMemory::free_all() {
  const std::lock_guard lock(mutex_);
  if (kernel_runs()) return -EBUSY;
  allocations_.clear();
  registered_.clear();
  used_ = 0;
  return 0;
}

int HostMemory::register_host(std::size_t size, void* address) {
  const std::lock_guard lock(mutex_);
  if (containing(address) != allocations_.end()) return -EINVAL;
  const std::uintptr_t begin = key(address);
  const auto next = registered_.lower_bound(begin);
  if (next != registered_.end() && next->first - begin < size) return -EEXIST;
  if (next != registered_.begin()) {
    const auto& [previous, length] = *std::prev(next);
    if (begin - previous < length) return -EEXIST;
  }
  registered_.emplace(begin, size);
  return 0;
}

int HostMemory::unregister_host(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = registered_.find(key(address));
  if (found == registered_.end()) return -ENOENT;
  if (kernel_runs()) return -EBUSY;
  registered_.erase(found);
  return 0;
}

int HostMemory::map_to_cpu(std::size_t size, void* address, void** cpu_address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(key(address));
  if (found == allocations_.end()) return -ENOENT;
  Allocation& allocation = found->second;
  if (size > allocation.application.size()) return -E2BIG;
  if (allocation.on_cpu) return -EEXIST;
  allocation.on_cpu = true;
  *cpu_address = allocation.view_data();
  return 0;
}

int HostMemory::unmap_from_cpu(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(key(address));
  if (found == allocations_.end() || !found->second.on_cpu) return -ENOENT;
  found->second.on_cpu = false;
  return 0;
}

HostMemory::Allocations::const_iterator HostMemory::containing(const void* address) const {
  const auto next = allocations_.upper_bound(key(address));
  if (next == allocations_.begin()) return allocations_.end();
  const auto found = std::prev(next);
  const bool inside = key(address) - found->first < found->second.application.size();
  return inside ? found : allocations_.end();
}

std::optional<HostMemory::Place> HostMemory::find(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto found = containing(address);
  if (found == allocations_.end()) return std::nullopt;
  const std::size_t offset = key(address) - found->first;
  return Place{found->second.view_data() + offset, offset,
               found->second.application.size() - offset};
}

UniqueFd HostMemory::export_fd(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto found = containing(address);
  if (found == allocations_.end()) return {};
  return UniqueFd(::fcntl(found->second.fd.get(), F_DUPFD_CLOEXEC, 0));
}

}  // namespace ringside
