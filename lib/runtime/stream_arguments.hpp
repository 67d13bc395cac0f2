// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the blocks of streams are given to run on: queues, words that the CPU shares with them, and
// the ways on which blocks of a stream hand packets on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/device/handed_packet.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/runtime/stream_ends.hpp"

namespace ringside {

class StreamArguments {
 public:
  /// Allocates the words of so many streams, in pinned memory of `gpu`, which is every GPU's.
  /// `config` must live longer. Throws Error.
  StreamArguments(const RuntimeConfig& config, GpuDevice& gpu, std::size_t streams);

  /// GpuStream's, of the stream of this number.
  std::span<StreamWords> words(std::size_t number) const;
  /// Makes the ways between blocks, with rings of `depths`: one a block, the first of which has no
  /// block before it. With no kernel running. Throws Error.
  void make_ways(std::size_t number, const StreamEnds& ends, std::span<const std::uint32_t> depths);
  /// Of a block of the stream; `program.own` is yet to be set. Throws Error.
  StreamArgs of_block(std::size_t number, const StreamEnds& ends, std::size_t block,
                      std::uint64_t first_burst) const;

 private:
  struct Ways {
    std::vector<GpuMemory> rings;
    std::vector<HandOver> to;  ///< [block - 1] to the block from the one before
  };

  const RuntimeConfig& config_;
  GpuMemory words_;
  std::vector<Ways> ways_;  ///< of the streams
};

}  // namespace ringside
