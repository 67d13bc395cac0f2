// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/launch.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

extern "C" const char ringside_cuda_image[];

namespace ringside::test::gpu {
namespace {

constexpr std::uintptr_t kPage = 4096;
// No launch may wait for room for its threads' memory, as it would for kernels that run.
constexpr std::size_t kStackBytes = 4096;

cudaLibrary_t shipped = nullptr;

[[noreturn]] void give_up(const std::string& what, cudaError_t error) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), cudaGetErrorString(error));
  std::_Exit(1);
}
void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) give_up(what, error);
}

}  // namespace

std::string_view load_kernels() {
  cudaError_t error = cudaDeviceSetLimit(cudaLimitStackSize, kStackBytes);
  if (error == cudaSuccess) {
    error = cudaLibraryLoadData(&shipped, ringside_cuda_image, nullptr, nullptr, 0, nullptr,
                                nullptr, 0);
  }
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

const void* program_kernel(std::string_view name) {
  if (const void* const own = own_kernel(name)) return own;
  cudaKernel_t kernel = nullptr;
  const std::string entry = "ringside_" + std::string(name);
  check(cudaLibraryGetKernel(&kernel, shipped, entry.c_str()), entry);
  return kernel;
}

Launch::Launch(const void* kernel, std::uint32_t blocks, std::uint32_t threads, void* argument) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  void* arguments[] = {argument};
  check(cudaLaunchKernel(kernel, blocks, threads, arguments, 0, stream), "launch a kernel");
  stream_ = stream;
}

Launch::~Launch() {
  if (stream_ == nullptr) return;
  auto* const stream = static_cast<cudaStream_t>(stream_);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  cudaError_t state = cudaSuccess;
  while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  check(state, "a kernel did not end");
  cudaStreamDestroy(stream);
}

DoorbellPage::DoorbellPage(std::uint64_t* doorbell) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, doorbell), "look at a doorbell");
  if (doorbell == nullptr || attributes.type != cudaMemoryTypeUnregistered) return;
  page_ = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(doorbell) & ~(kPage - 1));
  check(cudaHostRegister(page_, kPage, cudaHostRegisterMapped | cudaHostRegisterPortable),
        "map a doorbell page");
}

DoorbellPage::~DoorbellPage() {
  if (page_ != nullptr) check(cudaHostUnregister(page_), "unmap a doorbell page");
}

}  // namespace ringside::test::gpu
