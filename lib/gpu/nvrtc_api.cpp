// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/nvrtc_api.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

namespace ringside {
namespace {

struct Loaded {
  NvrtcApi api;
  std::string why;  // empty: it works
};

Loaded load() {
  Loaded loaded;
  // Toolkits put their libraries where the linker looks, or into a folder of their own.
  constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                    "/usr/local/cuda/lib64/libnvrtc.so"};
  void* library = nullptr;
  for (const char* const name : kNames) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    loaded.why = "there is no libnvrtc.so.13 or .12 (it is part of the CUDA toolkit)";
    return loaded;
  }
#define X(call)                                                                                 \
  loaded.api.call##_ = reinterpret_cast<decltype(loaded.api.call##_)>(::dlsym(library, #call)); \
  if (loaded.api.call##_ == nullptr) loaded.why = "libnvrtc has no " #call;
  RINGSIDE_NVRTC_CALLS(X)
#undef X
  return loaded;
}

}  // namespace

const NvrtcApi* nvrtc_api(std::string& why) {
  static const Loaded once = load();
  why = once.why;
  return why.empty() ? &once.api : nullptr;
}

}  // namespace ringside
