// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/device_memory.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <filesystem>
#include <mutex>

#include "lib/softcx/nic/copy_engine.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {
namespace {

FindCopyEngine* load_finder() {
  // An address in this library tells where it lies.
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&find_device_memory), &self) == 0) return nullptr;
  const auto path = std::filesystem::path(self.dli_fname).replace_filename("libsoftcx_gpu.so");
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    print_line(fmt::format("GPU memory cannot be registered: {}", ::dlerror()));
    return nullptr;
  }
  return reinterpret_cast<FindCopyEngine*>(::dlsym(library, "softcx_find_copy_engine"));
}

}  // namespace

bool cuda_is_loaded() {
  void* const cuda = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (cuda != nullptr) ::dlclose(cuda);
  return cuda != nullptr;
}

int find_device_memory(std::uint64_t address, std::uint64_t length, Memory& memory) {
  if (!cuda_is_loaded()) return ENOENT;
  static FindCopyEngine* const find = load_finder();
  if (find == nullptr) return ENOENT;
  std::string why;
  CopyEngine* const engine = find(address, length, why);
  if (engine == nullptr) {
    if (why.empty()) return ENOENT;
    print_line("GPU memory cannot be registered: " + why);
    return EFAULT;
  }
  memory = {reinterpret_cast<std::uint8_t*>(address), length, nullptr, 0, engine};
  return 0;
}

}  // namespace softcx
