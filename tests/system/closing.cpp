// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Opens all ports, forwards, closes while frames are under way, and says what each step of closing
// took, under `softcx run` with loop wires. Ends by SIGALRM where a step does not end, named last.
// Arguments: how packets reach the GPU (as --gpu-launch), where they lie (as --mp-alloc), "lone" or
// "shared", and EAL's, the program's name first.
//
// "lone": what the PMD notes of a pool that is mapped for DMA has a huge page of EAL's to itself,
// as it comes by chance. That page goes back to the system when the note is freed, which calls the
// PMD (lib/dpdk/external_memory.hpp).
#include <dlfcn.h>
#include <fmt/core.h>
#include <rte_malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/runtime.hpp"

struct rte_device;

namespace {

using ringside::Error;
using ringside::monotonic_ns;

constexpr unsigned kLimitSeconds = 20;
constexpr std::uint64_t kMoveMs = 10'000;
constexpr std::uint64_t kPackets = 1000;  // of each port, before it is closed

bool lone_pages = false;

std::size_t heap_bytes() {
  rte_malloc_socket_stats stats{};
  rte_malloc_get_socket_stats(0, &stats);
  return stats.heap_totalsz_bytes;
}

/// Takes what EAL's heap has free, in pieces that no object of the PMD's is smaller than.
std::vector<void*> fill_heap() {
  std::vector<void*> pieces;
  const std::size_t before = heap_bytes();
  while (heap_bytes() == before) pieces.push_back(rte_malloc(nullptr, 64, 64));
  rte_free(pieces.back());  // on a page that was not there before
  pieces.pop_back();
  return pieces;
}

}  // namespace

/// In front of EAL's.
extern "C" int rte_dev_dma_map(rte_device* device, void* address, std::uint64_t iova,
                               std::size_t size) {
  static const auto map =
      reinterpret_cast<decltype(&rte_dev_dma_map)>(::dlsym(RTLD_NEXT, "rte_dev_dma_map"));
  std::vector<void*> pieces;
  if (lone_pages) pieces = fill_heap();
  const int result = map(device, address, iova, size);
  for (void* piece : pieces) rte_free(piece);
  return result;
}

namespace {

template <std::size_t Count>
std::size_t index_of(const std::array<std::string_view, Count>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw ringside::usage_error(fmt::format("'{}' is unknown", name), "");
  return static_cast<std::size_t>(found - names.begin());
}

ringside::RuntimeConfig config_of(std::span<char*> arguments) {
  if (arguments.size() < 5) throw ringside::usage_error("too few arguments", "see the source");
  ringside::RuntimeConfig config;
  config.gpu_launch =
      static_cast<ringside::GpuLaunch>(index_of(ringside::kGpuLaunchNames, arguments[1]));
  config.mempool =
      static_cast<ringside::MempoolKind>(index_of(ringside::kMempoolKindNames, arguments[2]));
  lone_pages = std::string_view(arguments[3]) == "lone";
  config.datapath = config.gpu_launch == ringside::GpuLaunch::kPersistent
                        ? ringside::Datapath::kGpu
                        : ringside::Datapath::kLaunch;
  config.eal_args.assign(arguments.begin() + 4, arguments.end());
  config.nb_cores =
      static_cast<std::uint16_t>(std::ranges::count(config.eal_args, std::string("-a")));
  return config;
}

void wait_for_packets(ringside::Runtime& runtime) {
  const auto deadline = ringside::Deadline::after_ms(kMoveMs);
  const auto moves = [&](std::uint16_t port) {
    return runtime.port_stats(port).tx_packets >= kPackets;
  };
  while (!std::ranges::all_of(runtime.ports(), moves)) {
    if (deadline.passed()) throw Error("no packets move", "");
    ::usleep(1000);
  }
}

void run(std::span<char*> arguments) {
  const auto runtime = ringside::Runtime::create(config_of(arguments));
  runtime->start_forwarding(4);
  wait_for_packets(*runtime);
  std::uint64_t begin = 0;
  const auto end_step = [&] {
    if (begin != 0) fmt::print("{} us\n", (monotonic_ns() - begin) / 1000);
  };
  runtime->close([&](const char* step) {
    end_step();
    fmt::print("{}: ", step);
    std::fflush(stdout);
    begin = monotonic_ns();
  });
  end_step();
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(kLimitSeconds);
  try {
    run({argv, static_cast<std::size_t>(argc)});
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "closing: {}\n", error.what());
    return 1;
  }
}
