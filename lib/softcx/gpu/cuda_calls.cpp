// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/gpu/cuda_calls.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <optional>

namespace softcx {
namespace {

// cuda.h names the current version of a call by a macro; the expanded name is the symbol.
#define SOFTCX_TEXT(x) #x
#define SOFTCX_SYMBOL(x) SOFTCX_TEXT(x)

std::optional<CudaCalls> find_calls() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  CudaCalls calls;
#define X(call)                                                                         \
  calls.call##_ =                                                                       \
      reinterpret_cast<decltype(calls.call##_)>(::dlsym(library, SOFTCX_SYMBOL(call))); \
  if (calls.call##_ == nullptr) return std::nullopt;
  SOFTCX_CUDA_CALLS(X)
#undef X
  return calls;
}

}  // namespace

std::string CudaCalls::text(CUresult result) const {
  const char* name = nullptr;
  const char* meaning = nullptr;
  cuGetErrorName_(result, &name);
  cuGetErrorString_(result, &meaning);
  return fmt::format("{} ({})", name != nullptr ? name : "CUDA error",
                     meaning != nullptr ? meaning : std::to_string(static_cast<int>(result)));
}

const CudaCalls* cuda_calls() {
  // Asked for again while there is none: the application may load it later.
  static std::optional<CudaCalls> found;
  if (!found) found = find_calls();
  return found ? &*found : nullptr;
}

}  // namespace softcx
