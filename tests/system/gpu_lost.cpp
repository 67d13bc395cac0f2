// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A kernel of the application writes to an address that is not there, beside a port whose packets
// are on the same GPU, under `softcx run` with a capture that is replayed for ever. CUDA's context
// is lost, and with it softcx's copy kernel: packets have to stop, commands still to end.
// Arguments: EAL's.
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/runtime.hpp"

namespace {

using ringside::Deadline;

constexpr std::uint64_t kLongestMs = 10'000;

constexpr char kFaultyKernel[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry fault() {
  .reg .b64 %a;
  mov.b64 %a, 16;
  st.global.b32 [%a], 1;
  ret;
}
)";

template <class Call>
Call symbol(const char* name) {
  static void* const cuda = ::dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = cuda != nullptr ? ::dlsym(cuda, name) : nullptr;
  if (found == nullptr) throw ringside::Error(fmt::format("CUDA has no {}", name), "");
  return reinterpret_cast<Call>(found);
}

void check(CUresult result, const char* action) {
  if (result == CUDA_SUCCESS) return;
  throw ringside::Error(fmt::format("cannot {}: {}", action, static_cast<int>(result)), "");
}

void lose_gpu() {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  check(symbol<decltype(&cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, 0),
        "find the context");
  check(symbol<decltype(&cuCtxPushCurrent)>("cuCtxPushCurrent_v2")(context), "enter the context");
  check(symbol<decltype(&cuModuleLoadData)>("cuModuleLoadData")(&module, kFaultyKernel),
        "load the kernel");
  check(symbol<decltype(&cuModuleGetFunction)>("cuModuleGetFunction")(&kernel, module, "fault"),
        "find the kernel");
  check(symbol<decltype(&cuLaunchKernel)>("cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr,
                                                            nullptr, nullptr),
        "launch the kernel");
}

template <class Condition>
void await(const char* what, Condition condition) {
  const Deadline deadline = Deadline::after_ms(kLongestMs);
  while (!condition()) {
    if (deadline.passed()) throw ringside::Error(what, "");
    ::usleep(1000);
  }
}

void run(std::vector<std::string> eal) {
  ringside::RuntimeConfig config;
  config.eal_args = std::move(eal);
  config.mempool = ringside::MempoolKind::kGpu;
  config.datapath = ringside::Datapath::kCpu;
  const auto runtime = ringside::Runtime::create(config);
  const std::uint16_t port = runtime->ports().at(0);
  const auto sent = [&] { return runtime->port_stats(port).tx_packets; };
  runtime->start_forwarding(0);
  await("no packets move", [&] { return sent() > 10'000; });
  lose_gpu();
  std::uint64_t last = 0;
  await("packets still move", [&] {
    const std::uint64_t before = std::exchange(last, sent());
    ::usleep(200'000);
    return before == sent();
  });
  runtime->stop_forwarding();
  runtime->stop_port(port);
  fmt::print("the port has stopped\n");
  std::fflush(stdout);
  std::_Exit(0);  // CUDA's memory cannot be freed any more
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv, argv + argc});
  } catch (const ringside::Error& error) {
    fmt::print(stderr, "gpu_lost: {}\n", error.what());
  }
  std::fflush(stdout);
  std::_Exit(1);
}
