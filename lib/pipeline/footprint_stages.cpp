// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <bit>

#include "kernels/generator_args.hpp"
#include "lib/device/handed_packet.hpp"
#include "lib/pipeline/block_memory.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/flow_table.hpp"
#include "lib/pipeline/footprint_parts.hpp"
#include "lib/pipeline/gpus.hpp"

namespace ringside::pipeline {
namespace {

using Where = FootprintItem::Where;

/// Of one kernel, with a block for each of `blocks` sources.
class KernelFootprint {
 public:
  KernelFootprint(const Config& config, std::uint16_t gpu, std::size_t blocks, Footprint& footprint)
      : config_(config), gpu_(gpu), blocks_(blocks), footprint_(footprint) {}

  void add(const ChainImage& image, std::uint32_t mbuf_size) {
    add_chain(image);
    add_device("state of stages", (image.state_words + 1) * sizeof(std::uint64_t));
    const std::size_t stages = image.stages.size();
    for (std::size_t i = 0; i < blocks_; ++i) {
      add_device("stages", BlockMemory::own_bytes(stages));
      const std::uint64_t counters = pinned_allocation(BlockMemory::shared_bytes(stages, 0));
      const std::uint64_t all =
          pinned_allocation(BlockMemory::shared_bytes(stages, std::min(image.snaplen, mbuf_size)));
      footprint_.add({Where::kPinned, 0, "counters", counters, false});
      footprint_.add({Where::kPinned, 0, "rings of samples", all - counters, false});
    }
  }
  /// To the kernel from the one before it.
  void add_semaphores(std::uint32_t depth) {
    const auto log_depth = static_cast<std::uint32_t>(std::countr_zero(depth));
    for (std::size_t i = 0; i < blocks_; ++i) {
      add_device("semaphores", semaphore_bytes<PacketItem>(log_depth));
    }
  }

 private:
  /// Stages and tables lie in one piece.
  void add_chain(const ChainImage& image) {
    std::uint64_t bytes = image.words.size() * sizeof(std::uint64_t);
    std::uint64_t of_tables = 0;
    for (const std::uint16_t table : image.tables) {
      const std::uint64_t size = FlowTable::bytes_for(config_.tables.at(table).capacity.value());
      footprint_.add({Where::kDevice, gpu_, "table " + config_.tables[table].name, size, false});
      of_tables += size;
    }
    bytes = device_allocation(bytes + of_tables);
    footprint_.add({Where::kDevice, gpu_, "stages", bytes - of_tables, false});
    footprint_.reload.push_back({Where::kDevice, gpu_, "stages", bytes, false});
  }
  void add_device(const char* what, std::uint64_t bytes) {
    footprint_.add({Where::kDevice, gpu_, what, device_allocation(bytes), false});
  }

  const Config& config_;
  const std::uint16_t gpu_;
  const std::size_t blocks_;
  Footprint& footprint_;
};

}  // namespace

void add_stages(const Config& config, const RuntimeConfig& runtime, Footprint& footprint) {
  for (std::size_t p = 0; p < config.pipelines.size(); ++p) {
    const Pipeline& pipeline = config.pipelines[p];
    const Interface& interface = config.interfaces.at(pipeline.sources.front().interface);
    KernelFootprint of_kernel(config, gpu_of_interface(config, interface), pipeline.sources.size(),
                              footprint);
    for (std::size_t k = 0; k < pipeline.kernels.size(); ++k) {
      of_kernel.add(chain_shape(config, p, k, runtime.headers.has_value()), runtime.mbuf_size);
      if (k > 0) of_kernel.add_semaphores(pipeline.kernels[k].depth);
    }
  }
}

void add_generators(const Config& config, const Plan& plan, Footprint& footprint) {
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    // Its block is with the others of the interface whose receive queue it has.
    const StreamQueues& queues = plan.runtime.streams.at(plan.streams.size() + i);
    footprint.add({Where::kDevice, gpu_of_interface(config, config.interfaces.at(queues.rx_port)),
                   "generators", device_allocation(sizeof(GeneratorArgs)), false});
  }
}

}  // namespace ringside::pipeline
