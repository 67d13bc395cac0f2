// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_link.hpp"

#include <string>

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_api.hpp"

/// The fat binary of kernels/cuda_any_chain.cu (lib/gpu/cuda_image.S).
extern "C" const char ringside_any_chain_image[];
extern "C" const char ringside_any_chain_image_end[];

namespace ringside {
namespace {

class Link {
 public:
  Link() {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log_.data(), reinterpret_cast<void*>(log_.size())};
    cuda().check(cuda().cuLinkCreate_(2, options, values, &state_), "link a kernel");
  }
  ~Link() { cuda().cuLinkDestroy_(state_); }
  Link(const Link&) = delete;

  void add(CUjitInputType type, std::span<const char> code, const std::string& name) {
    check(cuda().cuLinkAddData_(state_, type, const_cast<char*>(code.data()), code.size(),
                                name.c_str(), 0, nullptr, nullptr),
          name);
  }
  /// Of this object's memory.
  const void* complete() {
    void* image = nullptr;
    std::size_t size = 0;
    check(cuda().cuLinkComplete_(state_, &image, &size), "all parts");
    return image;
  }

 private:
  void check(CUresult result, const std::string& what) const {
    if (result == CUDA_SUCCESS) return;
    throw usage_error(
        fmt::format("cannot link {} into the pipeline's kernel: {}", what, cuda().text(result)),
        std::string("\n") + log_.c_str());
  }

  CUlinkState state_ = nullptr;
  std::string log_ = std::string(16384, '\0');
};

}  // namespace

CUmodule link_kernel(std::span<const char> code, const std::vector<KernelSource::Object>& objects) {
  Link link;
  link.add(CU_JIT_INPUT_CUBIN, code, "pipeline");
  link.add(CU_JIT_INPUT_FATBINARY, {ringside_any_chain_image, ringside_any_chain_image_end},
           "any_chain");
  for (const KernelSource::Object& object : objects) {
    link.add(CU_JIT_INPUT_FATBINARY, object.code, object.name);
  }
  CUmodule module = nullptr;
  cuda().check(cuda().cuModuleLoadData_(&module, link.complete()),
               "load the pipeline's kernel into the GPU");
  return module;
}

}  // namespace ringside
