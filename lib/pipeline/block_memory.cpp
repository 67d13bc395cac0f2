// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/block_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace ringside::pipeline {
namespace {

constexpr std::size_t kLine = 128;  // what a GPU reads at once

/// One writer a line.
constexpr std::size_t kArgsAt = 0;
constexpr std::size_t kStatusAt = 2 * kLine;
constexpr std::size_t kRingAt = 3 * kLine;
constexpr std::size_t kCountersAt = 5 * kLine;
static_assert(sizeof(PipelineArgs) <= kStatusAt);
// In the block's own memory, the counters behind them.
constexpr std::size_t kControlAt = 0;
constexpr std::size_t kRingStateAt = kLine;
constexpr std::size_t kOwnCountersAt = 2 * kLine;
static_assert(sizeof(stages::SampleRingWords) <= kCountersAt - kRingAt);

std::size_t in_lines(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}
std::size_t counter_bytes(std::size_t stages) {
  return in_lines(stages * sizeof(stages::StageCounters));
}

std::uint32_t slot_size(std::uint32_t snaplen) {
  if (snaplen == 0) return 0;
  return static_cast<std::uint32_t>((sizeof(stages::SampleHeader) + snaplen + 63) / 64 * 64);
}

}  // namespace

std::size_t BlockMemory::shared_bytes(std::size_t stages, std::uint32_t snaplen) noexcept {
  return kCountersAt + counter_bytes(stages) + (std::size_t{slot_size(snaplen)} << kLogSlots);
}

std::size_t BlockMemory::own_bytes(std::size_t stages) noexcept {
  return kOwnCountersAt + counter_bytes(stages);
}

BlockMemory::BlockMemory(GpuDevice& gpu, std::size_t stages, const Options& options,
                         std::uint32_t snaplen)
    : stages_(stages),
      slot_bytes_(slot_size(snaplen)),
      shared_(gpu.allocate_shared(shared_bytes(stages, snaplen), kLine)),
      own_(gpu.allocate(own_bytes(stages), kLine)) {
  auto& args = *host<PipelineArgs>(kArgsAt);
  args.control = own_.kernel_pointer<PipelineControl>(kControlAt);
  args.status = shared_.kernel_pointer<PipelineStatus>(kStatusAt);
  args.counters = shared_.kernel_pointer<stages::StageCounters>(kCountersAt);
  args.counters_here = own_.kernel_pointer<stages::StageCounters>(kOwnCountersAt);
  args.ring_here = own_.kernel_pointer<stages::SampleRingState>(kRingStateAt);
  args.words = options.words;
  args.source = options.source;
  args.offload = options.offload;
  args.gather_ns = options.gather_ns;
  if (slot_bytes_ == 0) return;
  args.ring = {shared_.kernel_pointer<stages::SampleRingWords>(kRingAt),
               shared_.kernel_pointer<std::uint8_t>(kCountersAt + counter_bytes(stages)),
               slot_bytes_, kLogSlots};
}

void BlockMemory::set_chain(GpuDevice& gpu, const stages::Chain* chain) {
  // Pairs with the kernel's acquire: the chain's bytes are there. And no later look at what the
  // block says to use passes it, see chain_in_use().
  gpu.store_to_device(own_, kControlAt + offsetof(PipelineControl, chain),
                      reinterpret_cast<std::uint64_t>(chain));
}

const stages::Chain* BlockMemory::chain_in_use() const {
  // Acquire pairs with the kernel's release: it reads no other chain any more. Nor does it begin to
  // read one that was set before the last: it tells of a chain before it looks at it again.
  return std::atomic_ref(host<PipelineStatus>(kStatusAt)->chain).load(std::memory_order_seq_cst);
}

std::vector<stages::StageCounters> BlockMemory::counters() const {
  std::vector<stages::StageCounters> counters(stages_);
  const auto read = [](std::uint64_t& word) {
    return std::atomic_ref(word).load(std::memory_order_relaxed);
  };
  auto* const shared = host<stages::StageCounters>(kCountersAt);
  for (std::size_t i = 0; i < stages_; ++i) {
    counters[i] = {read(shared[i].on), read(shared[i].otherwise), read(shared[i].on_bytes)};
  }
  return counters;
}

std::size_t BlockMemory::drain_into(std::uint64_t& clock_ns, void* to, Sample sample) {
  if (!samples()) return 0;
  auto& words = *host<stages::SampleRingWords>(kRingAt);
  // Acquire pairs with the block's release of head: the slots before it are complete.
  const std::uint64_t head = std::atomic_ref(words.head).load(std::memory_order_acquire);
  clock_ns = std::atomic_ref(words.clock_ns).load(std::memory_order_relaxed);
  const std::uint64_t tail = words.tail;
  std::vector<const std::uint8_t*> slots;
  for (std::uint64_t i = tail; i < head; ++i) {
    slots.push_back(shared_.data() + kCountersAt + counter_bytes(stages_) +
                    (i & ((1U << kLogSlots) - 1)) * slot_bytes_);
  }
  const auto header = [](const std::uint8_t* slot) {
    return reinterpret_cast<const stages::SampleHeader*>(slot);
  };
  // A block's threads take slots in any order, but head moves a batch at a time.
  std::ranges::stable_sort(slots, {},
                           [&](const std::uint8_t* slot) { return header(slot)->order; });
  for (const std::uint8_t* const slot : slots) {
    sample(to, *header(slot), slot + sizeof(stages::SampleHeader));
  }
  // Release pairs with the block's acquire: it writes the slots anew only after these reads.
  std::atomic_ref(words.tail).store(head, std::memory_order_release);
  return slots.size();
}

}  // namespace ringside::pipeline
