// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_module.hpp"

#include "kernels/registry.hpp"
#include "lib/base/error.hpp"
#include "lib/gpu/burst_run.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/cuda_compiler.hpp"
#include "lib/gpu/cuda_link.hpp"
#include "lib/gpu/kernel_name_taken.hpp"

/// The fat binary of kernels/cuda_kernels.cu (lib/gpu/cuda_image.S).
extern "C" const char ringside_cuda_image[];

namespace ringside {

CudaModule::CudaModule(std::shared_ptr<CudaMemory> memory) : memory_(std::move(memory)) {
  const CurrentContext current(memory_->context());
  const CUresult loaded = cuda().cuModuleLoadData_(&module_, ringside_cuda_image);
  if (loaded == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    throw Error("the packet programs cannot run on this GPU: " + cuda().text(loaded),
                "Ampere (sm_80) or later is needed");
  }
  cuda().check(loaded, "load the packet programs into the GPU");
  for (const HostKernel& kernel : host_kernels()) {
    const std::string name(kernel.name);
    auto function = kernels_[name].begin();
    for (const char* prefix : {"ringside_", "ringside_burst_", "ringside_serve_"}) {
      if (kernel.run_burst == nullptr && function != kernels_[name].begin()) continue;
      const std::string symbol = prefix + name;
      cuda().check(cuda().cuModuleGetFunction_(&*function++, module_, symbol.c_str()),
                   fmt::format("find the kernel {}", symbol));
    }
  }
}

CudaModule::~CudaModule() {
  const ContextGuard current(memory_->context());
  for (const auto& [entry, added] : added_) cuda().cuModuleUnload_(added.first);
  cuda().cuModuleUnload_(module_);
}

void CudaModule::add(const UserKernel& kernel) {
  const std::string name(kernel.name);
  if (added_.contains(name) || kernels_.contains(name)) throw kernel_name_taken(name);
  if (kernel.fatbin == nullptr) {
    throw usage_error(fmt::format("the kernel '{}' was built without code for NVIDIA GPUs", name),
                      "build it with RINGSIDE_USER_FATBIN (kernels/user_kernel.hpp)");
  }
  const CurrentContext current(memory_->context());
  CUmodule module = nullptr;
  const CUresult loaded = cuda().cuModuleLoadData_(&module, kernel.fatbin);
  if (loaded == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    throw usage_error(fmt::format("the kernel '{}' has no code for this GPU", name),
                      "build it with nvcc's -arch for this GPU, or with PTX");
  }
  cuda().check(loaded, fmt::format("load the kernel '{}' into the GPU", name));
  CUfunction function = nullptr;
  const std::string entry = "ringside_" + name;
  const CUresult found = cuda().cuModuleGetFunction_(&function, module, entry.c_str());
  if (found != CUDA_SUCCESS) {
    cuda().cuModuleUnload_(module);
    cuda().check(found, fmt::format("find the kernel {}", entry));
  }
  added_.emplace(name, std::pair{module, function});
}

bool CudaModule::add(const KernelSource& source, std::string& why_not) {
  const auto attribute = [this](CUdevice_attribute which) {
    int value = 0;
    cuda().check(cuda().cuDeviceGetAttribute_(&value, which, memory_->device()),
                 "read a GPU's properties");
    return value;
  };
  const int architecture = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                           attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const auto code = compile_for_cuda(source, architecture, why_not);
  if (!code) return false;
  const CurrentContext current(memory_->context());
  CUmodule module = nullptr;
  try {
    module = link_kernel(*code, source.objects);
  } catch (const Error& error) {
    if (!source.files.empty() || !source.objects.empty())
      throw;  // no other kernel has these stages
    why_not = error.what();
    return false;
  }
  CUfunction function = nullptr;
  const CUresult result = cuda().cuModuleGetFunction_(&function, module, source.entry.c_str());
  if (result != CUDA_SUCCESS) {
    cuda().cuModuleUnload_(module);
    cuda().check(result, fmt::format("find the kernel {}", source.entry));
  }
  const auto [added, is_new] = added_.try_emplace(source.entry, module, function);
  if (!is_new) {
    cuda().cuModuleUnload_(added->second.first);
    added->second = {module, function};
  }
  return true;
}

CUfunction CudaModule::kernel(const std::string& name, CudaEntry entry) const {
  if (const auto added = added_.find(name); added != added_.end()) return added->second.second;
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) {
    if (entry != CudaEntry::kForward) check_runs_on_bursts(*find_host_kernel(name));
    return found->second[static_cast<std::size_t>(entry)];
  }
  std::string known;
  for (const auto& [one, functions] : kernels_) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one);
  }
  throw usage_error(fmt::format("there is no kernel '{}'", name), "known are " + known);
}

}  // namespace ringside
