// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The copy engine alone: what the software NIC can move into and out of a GPU's memory by one
// engine thread, apart from everything else that it does. Each copy is checked once. Prints CSV.
//
//   copy_engine_bench PATH-OF-libsoftcx_gpu.so
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/softcx/data/copy_channel.hpp"

namespace {

using namespace softcx;  // NOLINT(google-build-using-namespace)
using ringside::monotonic_ns;

constexpr std::uint32_t kSlots = 4096;  // packets in flight never use the same one
constexpr std::uint32_t kSlotBytes = 2048;
constexpr std::uint64_t kMemory = std::uint64_t{kSlots} * kSlotBytes;

template <class Call>
Call symbol(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) throw ringside::Error(fmt::format("no symbol {}", name), "");
  return reinterpret_cast<Call>(found);
}

void* open_library(const char* name) {
  void* const library = ::dlopen(name, RTLD_NOW);
  if (library == nullptr) throw ringside::Error(::dlerror(), "");
  return library;
}

/// Device memory that is the calling thread's to read and write.
class Gpu {
 public:
  Gpu() {
    check(symbol<decltype(&cuInit)>(cuda_, "cuInit")(0));
    CUcontext context = nullptr;
    check(symbol<decltype(&cuDevicePrimaryCtxRetain)>(cuda_, "cuDevicePrimaryCtxRetain")(&context,
                                                                                         0));
    check(symbol<decltype(&cuCtxPushCurrent)>(cuda_, "cuCtxPushCurrent_v2")(context));
    check(symbol<decltype(&cuMemAlloc)>(cuda_, "cuMemAlloc_v2")(&memory_, kMemory));
  }
  std::uint64_t memory() const { return memory_; }
  std::vector<std::uint8_t> read() const {
    std::vector<std::uint8_t> bytes(kMemory);
    check(
        symbol<decltype(&cuMemcpyDtoH)>(cuda_, "cuMemcpyDtoH_v2")(bytes.data(), memory_, kMemory));
    return bytes;
  }

 private:
  static void check(CUresult result) {
    if (result != CUDA_SUCCESS) {
      throw ringside::Error(fmt::format("CUDA error {}", static_cast<int>(result)), "");
    }
  }
  void* cuda_ = open_library("libcuda.so.1");
  CUdeviceptr memory_ = 0;
};

struct Case {
  const char* direction;
  std::uint32_t bytes, batch, in_flight;
  bool in, out;
};

/// Orders copies for about `ns`, a batch at a time; returns how many a second have ended.
double copies_per_second(CopyChannel& channel, std::uint64_t memory, const Case& test,
                         std::uint64_t ns) {
  std::deque<CopyChannel::Ticket> tickets;
  std::uint64_t ordered = 0;
  const std::uint64_t begin = monotonic_ns();
  std::uint64_t now = begin;
  while (now - begin < ns) {
    for (std::uint32_t i = 0; i < test.batch; ++i) {
      const auto slot = static_cast<std::uint32_t>(ordered++ % kSlots);
      const bool in = test.in && (!test.out || i % 2 == 0);
      channel.add({memory + std::uint64_t{slot} * kSlotBytes, slot * kSlotBytes,
                   test.bytes | (in ? CopyDescriptor::kToDevice : 0)});
    }
    tickets.push_back(channel.kick());
    if (tickets.size() == test.in_flight) {
      channel.wait(tickets.front());
      tickets.pop_front();
    }
    if (channel.failed()) throw ringside::Error(channel.failure(), "");
    now = monotonic_ns();
  }
  channel.wait(tickets.back());
  return static_cast<double>(ordered) * 1e9 / static_cast<double>(monotonic_ns() - begin);
}

/// In and out again by the engine, and seen by CUDA in between.
void check_bytes(CopyChannel& channel, const Gpu& gpu, std::uint32_t bytes) {
  std::uint8_t* const staging = channel.staging();
  const auto copy_all = [&](std::uint32_t direction) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      channel.add(
          {gpu.memory() + std::uint64_t{slot} * kSlotBytes, slot * kSlotBytes, bytes | direction});
      if (slot % 256 == 255) channel.wait(channel.kick());
    }
  };
  const auto expected = [&](std::uint64_t i) {
    return static_cast<std::uint8_t>(i * 7 + i / kSlotBytes + bytes);
  };
  for (std::uint64_t i = 0; i < kMemory; ++i) staging[i] = expected(i);
  copy_all(CopyDescriptor::kToDevice);
  const std::vector<std::uint8_t> seen = gpu.read();
  std::memset(staging, 0, kMemory);
  copy_all(0);
  for (std::uint64_t i = 0; i < kMemory; ++i) {
    if (i % kSlotBytes >= bytes) continue;
    if (seen[i] != expected(i) || staging[i] != expected(i)) {
      throw ringside::Error(fmt::format("copies of {} bytes: byte {} is wrong", bytes, i), "");
    }
  }
}

void run(const char* library) {
  const Gpu gpu;
  auto* const find = symbol<FindCopyEngine*>(open_library(library), "softcx_find_copy_engine");
  std::string why;
  CopyEngine* const engine = find(gpu.memory(), kMemory, why);
  if (engine == nullptr) throw ringside::Error("no copy engine: " + why, "");
  auto worker = engine->open_worker(why);
  if (worker == nullptr) throw ringside::Error("no copy worker: " + why, "");
  CopyChannel channel(std::move(worker));
  for (const std::uint32_t bytes : {1U, 15U, 60U, 64U, 65U, 1499U, 1500U}) {
    check_bytes(channel, gpu, bytes);
  }
  fmt::print("direction,bytes,batch,in_flight,mpps,gbytes_per_s,us_per_batch\n");
  for (const auto& [direction, in, out] :
       {std::tuple("in", true, false), {"out", false, true}, {"both", true, true}}) {
    for (const auto& [bytes, batch, in_flight] : {std::tuple(64U, 1U, 1U),
                                                  {64U, 32U, 1U},
                                                  {64U, 256U, 1U},
                                                  {64U, 32U, 8U},
                                                  {64U, 64U, 8U},
                                                  {64U, 256U, 8U},
                                                  {1500U, 1U, 1U},
                                                  {1500U, 64U, 8U},
                                                  {1500U, 256U, 8U}}) {
      const Case test{direction, bytes, batch, in_flight, in, out};
      const double rate = copies_per_second(channel, gpu.memory(), test, 300'000'000);
      fmt::print("{},{},{},{},{:.2f},{:.2f},{:.2f}\n", direction, bytes, batch, in_flight,
                 rate / 1e6, rate * bytes / 1e9, batch * 1e6 / rate);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: copy_engine_bench PATH-OF-libsoftcx_gpu.so\n");
    return 2;
  }
  try {
    run(argv[1]);
    return 0;
  } catch (const ringside::Error& error) {
    fmt::print(stderr, "copy_engine_bench: {}\n", error.what());
    return 1;
  }
}
