// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/gdr_copy.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cerrno>

#include "lib/gpu/align.hpp"

namespace ringside {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function, std::string& why) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) why = fmt::format("its library has no {}", name);
  return function != nullptr;
}

}  // namespace

std::unique_ptr<GdrCopy> GdrCopy::open(const char* library, std::string& why) {
  void* const loaded = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    why = ::dlerror();
    return nullptr;
  }
  Calls calls{};
  Gdr* gdr = nullptr;
  if (find(loaded, "gdr_open", calls.open, why) && find(loaded, "gdr_close", calls.close, why) &&
      find(loaded, "gdr_pin_buffer", calls.pin_buffer, why) &&
      find(loaded, "gdr_unpin_buffer", calls.unpin_buffer, why) &&
      find(loaded, "gdr_map", calls.map, why) && find(loaded, "gdr_unmap", calls.unmap, why)) {
    gdr = calls.open();
    if (gdr == nullptr) why = "its kernel module is not there: modprobe gdrdrv (/dev/gdrdrv)";
  }
  if (gdr == nullptr) {
    ::dlclose(loaded);
    return nullptr;
  }
  return std::unique_ptr<GdrCopy>(new GdrCopy(loaded, calls, gdr));
}

GdrCopy::~GdrCopy() {
  for (const auto& [page, mapped] : mapped_) give_back(mapped);
  calls_.close(gdr_);
  ::dlclose(library_);
}

int GdrCopy::map(std::uintptr_t address, std::size_t size, void** cpu_address) {
  // Whole pages: the library would round an address down, and say by how much only on request.
  const std::uintptr_t page = address & ~(kGpuPage - 1);
  const std::uintptr_t end = round_up(address + size, kGpuPage);
  const auto behind = mapped_.lower_bound(end);
  if (behind != mapped_.begin()) {
    const auto& [first, before] = *std::prev(behind);
    if (first + before.size > page) return -EEXIST;
  }
  Mapped mapped{address, {}, nullptr, end - page};
  if (calls_.pin_buffer(gdr_, page, mapped.size, 0, 0, &mapped.handle) != 0) return -EPERM;
  if (calls_.map(gdr_, mapped.handle, &mapped.cpu_page, mapped.size) != 0) {
    calls_.unpin_buffer(gdr_, mapped.handle);
    return -EPERM;
  }
  mapped_.emplace(page, mapped);
  *cpu_address = static_cast<std::uint8_t*>(mapped.cpu_page) + (address - page);
  return 0;
}

int GdrCopy::unmap(std::uintptr_t address) {
  const auto found = mapped_.find(address & ~(kGpuPage - 1));
  if (found == mapped_.end() || found->second.address != address) return -ENOENT;
  give_back(found->second);
  mapped_.erase(found);
  return 0;
}

void GdrCopy::give_back(const Mapped& mapped) noexcept {
  calls_.unmap(gdr_, mapped.handle, mapped.cpu_page, mapped.size);
  calls_.unpin_buffer(gdr_, mapped.handle);
}

}  // namespace ringside
