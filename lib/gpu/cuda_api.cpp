// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_api.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

struct Loaded {
  CudaApi api;
  std::string why;  // empty: it works
};

// cuda.h names the current version of a call by a macro; the expanded name is the symbol.
#define RINGSIDE_TEXT(x) #x
#define RINGSIDE_SYMBOL(x) RINGSIDE_TEXT(x)

Loaded load() {
  Loaded loaded;
  // Before the first call: a module loaded lazily waits for resident kernels, so for ever.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.why = fmt::format("the CUDA driver library cannot be opened ({})", ::dlerror());
    return loaded;
  }
#define X(call)                                                                                \
  loaded.api.call##_ =                                                                         \
      reinterpret_cast<decltype(loaded.api.call##_)>(::dlsym(library, RINGSIDE_SYMBOL(call))); \
  if (loaded.api.call##_ == nullptr) {                                                         \
    loaded.why = "the CUDA driver is older than 12.2: it has no " RINGSIDE_SYMBOL(call);       \
    return loaded;                                                                             \
  }
  RINGSIDE_CUDA_CALLS(X)
#undef X
  if (const CUresult result = loaded.api.cuInit_(0); result != CUDA_SUCCESS) {
    loaded.why = fmt::format("CUDA cannot be initialised: {}", loaded.api.text(result));
  }
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

const CudaApi* cuda_api(std::string& why) {
  why = loaded().why;
  return why.empty() ? &loaded().api : nullptr;
}

const CudaApi& cuda() {
  return loaded().api;
}

std::string CudaApi::text(CUresult result) const {
  const char* name = nullptr;
  const char* meaning = nullptr;
  cuGetErrorName_(result, &name);
  cuGetErrorString_(result, &meaning);
  return fmt::format("{} ({})", name != nullptr ? name : "CUDA error",
                     meaning != nullptr ? meaning : std::to_string(static_cast<int>(result)));
}

void CudaApi::check(CUresult result, const std::string& action) const {
  if (result == CUDA_SUCCESS) return;
  throw Error(fmt::format("cannot {}: {}", action, text(result)), "");
}

ContextGuard::ContextGuard(CUcontext context) noexcept
    : result_(cuda().cuCtxPushCurrent_(context)) {}

ContextGuard::~ContextGuard() {
  CUcontext popped = nullptr;
  if (result_ == CUDA_SUCCESS) cuda().cuCtxPopCurrent_(&popped);
}

CurrentContext::CurrentContext(CUcontext context) : ContextGuard(context) {
  cuda().check(result_, "make a CUDA context current");
}

}  // namespace ringside
