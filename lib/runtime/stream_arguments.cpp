// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/stream_arguments.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "lib/runtime/config_check.hpp"
#include "lib/runtime/program_args.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDrainNs = 500'000'000;
constexpr std::size_t kRingAlignment = 128;

/// A rate holds over times as long as a batch takes: batches are short.
void set_pace(StreamArgs& args, std::uint64_t bit_rate, std::uint32_t packet_length) {
  constexpr std::uint64_t kBatchesPerSecond = 10'000;
  constexpr std::uint64_t kBitTicksPerSecond = std::uint64_t{8'000'000'000} << kPaceTickBits;
  if (bit_rate == 0) return;
  args.pace = std::max<std::uint64_t>((kBitTicksPerSecond + bit_rate / 2) / bit_rate, 1);
  const std::uint64_t packets = bit_rate / kBatchesPerSecond / 8 / packet_length;
  args.burst = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(packets, 1, args.burst));
}

}  // namespace

StreamArguments::StreamArguments(const RuntimeConfig& config, GpuDevice& gpu, std::size_t streams)
    : config_(config),
      words_(gpu.allocate_shared(GpuStream::word_bytes(config.blocks_per_stream, streams),
                                 alignof(StreamWords))),
      ways_(streams) {}

std::span<StreamWords> StreamArguments::words(std::size_t number) const {
  const std::size_t each = GpuStream::words_for(config_.blocks_per_stream);
  return {reinterpret_cast<StreamWords*>(words_.data()) + number * each, each};
}

void StreamArguments::make_ways(std::size_t number, const StreamEnds& ends,
                                std::span<const std::uint32_t> depths) {
  Ways& ways = ways_[number];
  ways = {};
  for (std::size_t block = 1; block < depths.size(); ++block) {
    const auto log_depth = static_cast<std::uint32_t>(std::countr_zero(depths[block]));
    const GpuMemory& ring = ways.rings.emplace_back(
        ends.gpu.allocate(semaphore_bytes<PacketItem>(log_depth), kRingAlignment));
    ways.to.push_back({semaphore_in<PacketItem>(ring.kernel_pointer<void>(), log_depth),
                       ends.rx().handle().view_offset});
  }
}

StreamArgs StreamArguments::of_block(std::size_t number, const StreamEnds& ends, std::size_t block,
                                     std::uint64_t first_burst) const {
  const GpuStream& of = ends.stream;
  const std::size_t words =
      number * GpuStream::words_for(config_.blocks_per_stream) + of.word_of(block);
  const auto at = [words](std::size_t member) { return words * sizeof(StreamWords) + member; };
  StreamArgs args{
      .rx = {},
      .tx = {},
      .from = {},
      .to = {},
      .counters = words_.kernel_pointer<StreamCounters>(at(offsetof(StreamWords, counters))),
      .control = words_.kernel_pointer<StreamControl>(at(offsetof(StreamWords, control))),
      .status = words_.kernel_pointer<StreamStatus>(at(offsetof(StreamWords, status))),
      .burst = config_.burst,
      .pace = 0,
      .first_burst = first_burst,
      .drain_ns = kDrainNs,
      .program = program_args(config_, ends.to.id, ends.to.mac),
      .tx_buffers = ends.to.queues.tx_buffers(of.tx_queue()),
      .recovers = config_.recovery_limit > 0,
      .strides = {},
  };
  const std::vector<HandOver>& ways = ways_[number].to;
  if (block == 0) {
    args.rx = ends.rx().handle();
    args.strides = ends.from.queues.strides(of.rx_queue());
  } else {
    args.from = ways[block - 1];
  }
  if (block + 1 == of.blocks()) {
    args.tx = ends.to.queues.tx_handle(of.tx_queue(), ends.gpu);
    set_pace(args, of.tx_bit_rate(), max_packet_length(config_));
  } else {
    args.to = ways[block];
  }
  return args;
}

}  // namespace ringside
