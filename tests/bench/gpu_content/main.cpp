// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU sends packets of every content by a send queue in pinned memory, and softcx's data path, on
// the CPU, is the NIC: it refuses what a NIC refuses, and what reaches its wire must be what host
// threads send by the same code, at its time where it has one. 0: all is so; 77: there is no GPU.
#include <cstdio>
#include <memory>

#include "tests/bench/gpu_content/launch.hpp"
#include "tests/gpu/pinned_heap.hpp"
#include "tests/unit/softcx_send_rig.hpp"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLogDepth = 12;  // room for all: what is posted late leaves late
constexpr std::uint64_t kAheadNs = 700'000'000;
constexpr std::uint32_t kBatches = 20;
constexpr std::uint32_t kBatch = 64;

using Rig = test::SoftcxSendRig;

ContentArgs args_of(Rig& rig, Content content) {
  const bool lone = content == Content::kLone;
  rig.doorbell_kind = lone ? DoorbellKind::kBlueFlame : DoorbellKind::kRegular;
  return {.queue = rig.exclusive(),
          .bytes = rig.memory.bytes.data(),
          .nic_time = softcx::NicClock().now_ns() + kAheadNs,
          .batches = kBatches,
          .batch = lone ? 1 : kBatch};
}

bool has_times(Content content) {
  return content == Content::kAt || content == Content::kAtInline;
}

/// Empty, or how the GPU's sends differ.
std::string compare(Content content, std::uint32_t threads) {
  const auto by_host = std::make_unique<Rig>(kLogDepth);
  const auto by_gpu = std::make_unique<Rig>(kLogDepth);
  std::atomic<bool> done{false};
  std::jthread host([&] {
    ThreadScope thread;
    send_content(thread, content, args_of(*by_host, content));
    done = true;
  });
  test::step_until([&] { return done.load(); }, [&] { by_host->serve(); });
  const ContentArgs args = args_of(*by_gpu, content);
  std::string wrong = run_on_gpu(
      content, threads, args, [](void* rig) { static_cast<Rig*>(rig)->serve(); }, by_gpu.get());
  if (!wrong.empty()) return wrong;
  if (by_gpu->nic_state() != softcx::QueueState::kReady) return "the NIC has refused a WQE";
  if (by_gpu->sent() != by_host->sent()) return "the frames are not those of host threads";
  if (by_gpu->sent().size() != args.batches * args.batch) return "frames are missing";
  if (!softcx::violations().empty()) return softcx::violations().front();
  for (std::uint32_t i = 0; has_times(content) && i < by_gpu->sent().size(); ++i) {
    if (by_gpu->wire.left_ns[i] != args.nic_time + kGapTicks * i)
      return "a frame left at another time";
  }
  return "";
}

int run() {
  if (!test::gpu::pinned_heap::use(std::size_t{1} << 30)) {
    std::printf("no GPU\n");
    return 77;
  }
  int failed = 0;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(Content::kCount); ++i) {
    for (const std::uint32_t threads : {1U, 32U, 256U, 1024U}) {
      const std::string wrong = compare(static_cast<Content>(i), threads);
      failed += wrong.empty() ? 0 : 1;
      std::printf("%s, %u threads: %s\n", kContentNames[i], threads,
                  wrong.empty() ? "ok" : wrong.c_str());
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ringside::bench

int main() {
  return ringside::bench::run();
}
