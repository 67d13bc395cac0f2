// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Posters that break one rule each, to see that the NIC model notices.
#include <algorithm>

#include "lib/device/impl/tx_wqe.hpp"
#include "tests/bench/gpu_send/cases.hpp"
#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {
namespace {

enum class Sin : std::uint32_t {
  kStaleWqe,
  kSwappedBatches,
  kBatchTwice,
  kDoorbellBack,
  kDoorbellBeforeRecord,
  kCqesNeverTaken,
  kBatchNotAnnounced,
};

struct Sample {
  Sin sin;
  Fault fault;  // what the model must call it
};
constexpr Sample kSamples[] = {
    {Sin::kStaleWqe, Fault::kWqe},
    {Sin::kSwappedBatches, Fault::kOrder},
    {Sin::kBatchTwice, Fault::kOrder},
    {Sin::kDoorbellBack, Fault::kDoorbell},
    {Sin::kDoorbellBeforeRecord, Fault::kRecord},
    {Sin::kCqesNeverTaken, Fault::kCqOverrun},
    {Sin::kBatchNotAnnounced, Fault::kLost},
};

constexpr std::uint32_t kBurst = 4;
constexpr std::uint32_t kBursts = 128;
constexpr std::uint32_t kSinner = 40;  // the batch that breaks the rule

/// For what the model takes its time for, which under compute-sanitizer is long. false: in vain.
template <class Done>
__device__ bool await(Done done) {
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    if (done()) return true;
    __nanosleep(1000);
  }
  return false;
}

/// Each batch makes one CQE.
__device__ bool await_completion(const TxQueueHandle& queue, std::uint32_t batch) {
  const Cqe& cqe = queue.cqe[batch & ((1U << queue.log_cq_depth) - 1)];
  return await(
      [&] { return cqe_is_ready(load_acquire_system(&cqe.op_own), batch, queue.log_cq_depth); });
}

/// One thread; each batch is awaited, so that the model sees every doorbell.
__global__ void post_with_sin(TxQueueHandle queue, const ModelReport* report, Sin sin,
                              std::uint32_t burst, std::uint32_t bursts) {
  for (std::uint32_t batch = 0; batch < bursts; ++batch) {
    const bool sins = batch == kSinner;
    std::uint32_t number = batch;
    if (sin == Sin::kSwappedBatches && sins) ++number;
    if (sin == Sin::kSwappedBatches && batch == kSinner + 1) --number;
    if (sin == Sin::kBatchTwice && sins) --number;
    const std::uint64_t first = std::uint64_t{batch} * burst;
    for (std::uint32_t i = 0; i < burst; ++i) {
      if (sin == Sin::kStaleWqe && sins && i == 1) continue;
      const std::uint64_t sequence = std::uint64_t{number} * burst + i;
      write_wqe(queue, first + i, {address_of(0, sequence), length_of(sequence)},
                i + 1 == burst ? kCeAlways : kCeOnError);
    }
    // Many times, since the model looks at some of the records only.
    if (sin == Sin::kDoorbellBeforeRecord && batch >= kSinner) {
      __threadfence();
      TxQueueHandle elsewhere = queue;
      DoorbellRecord record;
      elsewhere.record = &record;
      announce_sends(elsewhere, first + burst);
      if (!await_completion(queue, batch)) return;
    }
    if (sin == Sin::kBatchNotAnnounced && batch + 1 == bursts) return;
    announce_sends(queue, first + burst);
    // Where there are as many batches as the ring is deep, the slots are awaited now and then.
    if ((sin != Sin::kCqesNeverTaken || batch % 64 == 63) && !await_completion(queue, batch))
      return;
    if (sin == Sin::kDoorbellBack && sins) {
      announce_sends(queue, first);
      const auto kind = static_cast<std::uint32_t>(Fault::kDoorbell);
      await([&] { return load_relaxed_system(&report->faults[kind]) != 0; });
    }
  }
}

}  // namespace

std::vector<std::string> faults_not_noticed(Rig& rig) {
  std::vector<std::string> missed;
  for (const Sample& sample : kSamples) {
    Case axes{.what = "broken", .threads = 1, .burst = kBurst, .bursts = kBursts};
    if (sample.sin == Sin::kCqesNeverTaken) {
      axes.burst = 1;
      axes.bursts = kDepth + 8;
    }
    const Outcome outcome =
        rig.run<EthernetSendFormat>(axes, true, [&](const auto& queues, cudaStream_t stream) {
          post_with_sin<<<1, 1, 0, stream>>>(queues[0]->handle(), queues[0]->report.get(),
                                             sample.sin, axes.burst, axes.bursts);
        });
    const std::string name = kFaultNames[static_cast<std::uint32_t>(sample.fault)];
    const bool noticed =
        std::any_of(outcome.faults.begin(), outcome.faults.end(), [&](const std::string& fault) {
          return fault.find(" " + name + ",") != std::string::npos;
        });
    if (!noticed) missed.push_back(name);
  }
  return missed;
}

}  // namespace ringside::bench
