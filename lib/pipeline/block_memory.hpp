// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What one block of the kernel pipeline and the CPU share, and what is the block's own.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pipeline_args.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside::pipeline {

class BlockMemory {
 public:
  /// As in PipelineArgs.
  struct Options {
    std::uint64_t* words;
    std::uint32_t source;
    TxOffload offload;
    std::uint64_t gather_ns;
  };
  /// What a block has in pinned memory, and in the GPU's.
  static std::size_t shared_bytes(std::size_t stages, std::uint32_t snaplen) noexcept;
  static std::size_t own_bytes(std::size_t stages) noexcept;

  /// `snaplen`: 0: nothing is sampled. Throws Error.
  BlockMemory(GpuDevice& gpu, std::size_t stages, const Options& options, std::uint32_t snaplen);

  /// ProgramArgs::own.
  const void* args() const { return shared_.kernel_pointer<PipelineArgs>(); }
  /// From the next batch on. The chain's bytes are complete.
  void set_chain(GpuDevice& gpu, const stages::Chain* chain);
  /// The chain that the block reads, or nullptr before its first batch. It reads no other but the
  /// one that was set last.
  const stages::Chain* chain_in_use() const;
  std::vector<stages::StageCounters> counters() const;
  bool samples() const { return slot_bytes_ != 0; }

  /// Calls take(header, bytes) for each sample that is there, batch by batch, in the order
  /// received; returns how many. `clock_ns`: the block's clock, about now. One thread.
  template <class Take>
  std::size_t drain(std::uint64_t& clock_ns, Take take) {
    return drain_into(clock_ns, &take,
                      [](void* to, const stages::SampleHeader& header, const std::uint8_t* bytes) {
                        (*static_cast<Take*>(to))(header, bytes);
                      });
  }

 private:
  using Sample = void (*)(void* to, const stages::SampleHeader& header, const std::uint8_t* bytes);
  std::size_t drain_into(std::uint64_t& clock_ns, void* to, Sample sample);
  template <class T>
  T* host(std::size_t offset) const {
    return reinterpret_cast<T*>(shared_.data() + offset);
  }

  static constexpr std::uint32_t kLogSlots = 10;

  std::size_t stages_;
  std::uint32_t slot_bytes_;
  GpuMemory shared_;
  GpuMemory own_;
};

}  // namespace ringside::pipeline
