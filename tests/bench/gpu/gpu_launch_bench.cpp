// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What it costs a CPU to have a GPU process a burst, without any NIC: macswap of 1 kB frames, by a
// kernel launch, a graph launch, or a resident kernel fed by gpudev's lists. One burst at a time
// gives the latency from submit to verdicts, as many as a lane takes the rate, of one lane and of
// several that one thread drives. JSON on standard output. Usage: gpu_launch_bench EAL-OPTION...
// (--vdev=gpu_host0 or gpu_cuda0 among them)
#include <fmt/core.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/gpu/burst_lanes.hpp"
#include "lib/gpu/gpu_pool.hpp"

namespace {

using namespace ringside;

constexpr std::size_t kManyLanes = 4;
constexpr std::uint16_t kFrame = 1024;
constexpr std::uint64_t kMeasureMs = 50;
constexpr std::uint64_t kGiveUpMs = 5000;

struct Way {
  BurstLaunch launch;
  const char* name;
};
constexpr Way kWays[] = {{BurstLaunch::kKernel, "per-burst"},
                         {BurstLaunch::kGraph, "graph"},
                         {BurstLaunch::kResident, "comm-list"}};

void await(const BurstLane& lane) {
  if (lane.verdicts() != nullptr) return;
  const Deadline deadline = Deadline::after_ms(kGiveUpMs);
  for (Relax relax; lane.verdicts() == nullptr; relax.relax()) {
    if (deadline.passed()) throw Error("the GPU does not answer", "");
  }
}

void submit(BurstLane& lane, std::span<rte_mbuf* const> burst) {
  if (!lane.submit(burst)) throw Error("the GPU takes no burst", "");
}

/// Nanoseconds of each of the bursts that go through alone.
std::vector<std::uint64_t> latencies(BurstLane& lane, std::span<rte_mbuf* const> burst) {
  std::vector<std::uint64_t> times;
  const Deadline end = Deadline::after_ms(kMeasureMs);
  while (!end.passed()) {
    const std::uint64_t begin = monotonic_ns();
    submit(lane, burst);
    await(lane);
    times.push_back(monotonic_ns() - begin);
    lane.retire();
  }
  std::ranges::sort(times);
  return times;
}

/// Bursts a second of `count` lanes that one thread keeps full.
double rate(BurstLanes& lanes, std::size_t count, std::span<rte_mbuf* const> mbufs,
            std::size_t burst) {
  std::uint64_t done = 0;
  std::array<std::size_t, kManyLanes> next{};
  const std::uint64_t begin = monotonic_ns();
  const Deadline end = Deadline::after_ms(kMeasureMs);
  while (!end.passed()) {
    for (std::size_t i = 0; i < count; ++i) {
      BurstLane& lane = lanes[i];
      for (; lane.verdicts() != nullptr; lane.retire()) ++done;
      while (!lane.full()) {
        const std::size_t place = i * kMaxBurstPlaces + next[i]++ % kMaxBurstPlaces;
        submit(lane, mbufs.subspan(place * burst, burst));
      }
    }
  }
  const double seconds = static_cast<double>(monotonic_ns() - begin) / 1e9;
  for (std::size_t i = 0; i < count; ++i) {
    for (; !lanes[i].empty(); lanes[i].retire()) await(lanes[i]);
  }
  return static_cast<double>(done) / seconds;
}

/// A resident kernel's idle lanes look too, so there are no more than are measured.
BurstLanes make_lanes(GpuDevice& gpu, const GpuPool& pool, BurstLaunch launch, std::uint32_t burst,
                      std::size_t count) {
  return BurstLanes(gpu, {.launch = launch,
                          .kernel = "macswap",
                          .threads_per_block = gpu.block_threads(0),
                          .burst = burst,
                          .view_offset = pool.memory().view_offset(),
                          .programs = std::vector<ProgramArgs>(count),
                          .cpus = {}});
}

void measure(GpuDevice& gpu, GpuPool& pool, const char* memory, const char*& separator) {
  for (const std::uint32_t burst : {16U, 32U, 64U}) {
    std::vector<rte_mbuf*> mbufs = pool.take(burst * kMaxBurstPlaces * kManyLanes);
    for (rte_mbuf* mbuf : mbufs) mbuf->pkt_len = mbuf->data_len = kFrame;
    for (const Way& way : kWays) {
      for (const std::size_t count : {std::size_t{1}, kManyLanes}) {
        BurstLanes lanes = make_lanes(gpu, pool, way.launch, burst, count);
        lanes[0].enter_thread();
        latencies(lanes[0], std::span(mbufs).first(burst));  // what is slow the first time only
        const auto times = latencies(lanes[0], std::span(mbufs).first(burst));
        const double packets = rate(lanes, count, mbufs, burst) * burst;
        fmt::print(
            "{}  {{\"way\": \"{}\", \"lanes\": {}, \"burst\": {}, \"packets_in\": \"{}\", "
            "\"us_min\": {:.2f}, \"us_p50\": {:.2f}, \"us_p99\": {:.2f}, \"mpps\": {:.2f}}}",
            std::exchange(separator, ",\n"), way.name, count, burst, memory,
            static_cast<double>(times.front()) / 1e3,
            static_cast<double>(times[times.size() / 2]) / 1e3,
            static_cast<double>(times[times.size() * 99 / 100]) / 1e3, packets / 1e6);
      }
    }
    pool.give_back(mbufs);
  }
}

int run(std::vector<std::string> arguments) {
  const Eal eal(std::move(arguments));
  const auto gpu = GpuDevice::open(0);
  fmt::print("{{\"gpu\": \"{}\", \"driver\": \"{}\", \"rows\": [\n", gpu->info().name,
             gpu->info().driver);
  const char* separator = "";
  const MempoolConfig config{.name = "packets", .mbufs = 4096, .mbuf_size = 2176};
  {
    GpuPool pinned(*gpu, config, PacketMemory::kPinned);
    measure(*gpu, pinned, "pinned", separator);
  }
  {
    GpuPool device(*gpu, config, PacketMemory::kDevice);
    measure(*gpu, device, "device", separator);
  }
  fmt::print("\n]}}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv, argv + argc));
  } catch (const Error& error) {
    fmt::print(stderr, "gpu_launch_bench: {}\n", error.what());
    return error.exit_code();
  }
}
