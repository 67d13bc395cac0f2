// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/stages/table.hpp"
#include "lib/pipeline/gpus.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

using Where = FootprintItem::Where;

/// As GpuPool lays buffers and memory out.
constexpr std::uint64_t kBufferAlignment = 128;
constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;
/// An mbuf with its mempool header, for a buffer that lies elsewhere.
constexpr std::uint64_t kMbufBytes = 256;
/// Measured: EAL, one port and its queues, without buffers.
constexpr std::uint64_t kEalBytes = std::uint64_t{40} << 20;
/// A descriptor: scatter entry of each part and CQE, and the kernel's notes of the slot.
constexpr std::uint64_t kRxBytes = 16 + 64 + 8 + 2;
constexpr std::uint64_t kSplitRxBytes = 32 + 64 + 16 + 2;
/// WQE, CQE, slot.
constexpr std::uint64_t kTxBytes = 64 + 64 + 4;
/// Four arrays of a queue begin on pages of their own.
constexpr std::uint64_t kQueueBytes = std::uint64_t{4} << 12;
/// What a kernel tells the next one of a packet, with its state.
constexpr std::uint64_t kHandOverBytes = 24 + 4;
/// Slots of a block's ring of samples, and what each has before the packet.
constexpr std::uint64_t kSamples = 1024;
constexpr std::uint64_t kSampleHeaderBytes = 64;
constexpr std::uint64_t kBucketOfPoliceBytes = 8;
/// Of a table's places, those that are taken when it is full.
constexpr double kTableLoad = 0.85;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

void add(Footprint& footprint, Where where, std::uint16_t gpu, const std::string& what,
         std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto same = std::ranges::find_if(footprint.items, [&](const FootprintItem& item) {
    return item.where == where && item.gpu == gpu && item.what == what;
  });
  if (same == footprint.items.end()) {
    footprint.items.push_back({where, gpu, what, bytes});
  } else {
    same->bytes += bytes;
  }
}

void add_buffers(const Config& config, Footprint& footprint) {
  std::uint64_t all_buffers = 0;
  for (std::size_t i = 0; i < config.memory_regions.size(); ++i) {
    const MemoryRegion& region = config.memory_regions[i];
    const std::uint64_t buffers = region.num_bufs.value_or(automatic_num_bufs(config, i));
    const std::uint64_t size =
        round_up(region.buf_size.value_or(automatic_buf_size(config, i)), kBufferAlignment);
    all_buffers += buffers;
    const bool device = region.kind == MemoryRegion::Kind::kDevice;
    const bool huge = region.kind == MemoryRegion::Kind::kHuge;
    add(footprint,
        device ? Where::kDevice
        : huge ? Where::kHugepages
               : Where::kPinned,
        device ? gpu_of_region(config, region) : std::uint16_t{0}, "buffers of " + region.name,
        round_up(buffers * size, kPageBytes));
  }
  add(footprint, Where::kHugepages, 0, "mbufs", all_buffers * kMbufBytes);
}

/// Every queue has rings as large as those of all others: the data path has one size for all.
void add_rings(const Config& config, Footprint& footprint) {
  std::uint64_t streams = 0;
  for (const Pipeline& pipeline : config.pipelines) streams += pipeline.sources.size();
  for (const Generator& generator : config.generator) streams += generator.queues.size();
  std::uint64_t queues = (streams + config.interfaces.size() - 1) / config.interfaces.size();
  std::uint64_t rx = 64, tx = 0;
  bool split = false;
  for (const Interface& interface : config.interfaces) {
    queues = std::max({queues, interface.rx.queues.size(), interface.tx.queues.size()});
    for (const RxQueue& queue : interface.rx.queues) {
      rx = std::max<std::uint64_t>(rx, queue.num_desc);
      split = split || queue.memory_regions.size() > 1;
    }
    for (const TxQueue& queue : interface.tx.queues) {
      tx = std::max<std::uint64_t>(tx, queue.num_desc);
    }
  }
  tx = std::max(rx, tx);
  const std::uint64_t bytes =
      queues * (rx * (split ? kSplitRxBytes : kRxBytes) + tx * kTxBytes + kQueueBytes);
  const bool in_gpu = std::ranges::all_of(config.memory_regions, [](const MemoryRegion& region) {
    return region.kind == MemoryRegion::Kind::kDevice;
  });
  for (const Interface& interface : config.interfaces) {
    add(footprint, in_gpu ? Where::kDevice : Where::kPinned,
        in_gpu ? gpu_of_interface(config, interface) : std::uint16_t{0}, "rings", bytes);
  }
}

std::uint64_t table_bytes(const Table& table) {
  const std::uint64_t capacity =
      table.capacity.value_or(static_cast<std::uint32_t>(table.entries.size()));
  const auto buckets = static_cast<std::uint64_t>(static_cast<double>(capacity) /
                                                  (kTableLoad * stages::kBucketEntries)) +
                       1;
  return buckets *
         (sizeof(stages::BucketTags) + stages::kBucketEntries * sizeof(stages::TableEntry));
}

/// Of a chain, and those that it may lead to: each kernel has its own.
void add_stages(const Config& config, const std::vector<const Stage*>& stages, std::uint16_t gpu,
                Footprint& footprint) {
  std::set<std::size_t> tables;
  for (const Stage* const stage : stages) {
    if (const auto* const lookup = std::get_if<LookupStage>(&stage->params)) {
      if (lookup->table.index < config.tables.size()) tables.insert(lookup->table.index);
    } else if (const auto* const police = std::get_if<PoliceStage>(&stage->params)) {
      add(footprint, Where::kDevice, gpu, "buckets of rates",
          kBucketOfPoliceBytes * police->buckets.value_or(1));
    }
  }
  for (const std::size_t table : tables) {
    add(footprint, Where::kDevice, gpu, "table " + config.tables[table].name,
        table_bytes(config.tables[table]));
  }
}

/// Bytes of a packet that a pipeline's stages hand to the CPU at most; 0: they hand over none.
std::uint64_t sampled_bytes(const Config& config, const Pipeline& pipeline) {
  std::uint64_t snaplen = 0;
  for (const Sink& sink : pipeline.sinks) {
    if (const auto* const pcap = std::get_if<PcapSink>(&sink.params)) {
      snaplen = std::max<std::uint64_t>(snaplen, pcap->snaplen);
    }
    if (std::holds_alternative<CpuSink>(sink.params)) snaplen = UINT16_MAX;
  }
  std::uint64_t buffer = 0;
  for (const MemoryRegion& region : config.memory_regions) {
    buffer = std::max<std::uint64_t>(buffer, region.buf_size.value_or(0));
  }
  return std::min(snaplen, buffer);
}

void add_pipeline(const Config& config, const Pipeline& pipeline, Footprint& footprint) {
  if (pipeline.sources.empty() || pipeline.sources[0].interface >= config.interfaces.size()) return;
  const std::uint16_t gpu =
      gpu_of_interface(config, config.interfaces[pipeline.sources[0].interface]);
  const std::uint64_t sources = pipeline.sources.size();
  const std::uint64_t sampled = sampled_bytes(config, pipeline);
  for (std::size_t k = 0; k < pipeline.kernels.size(); ++k) {
    const Kernel& kernel = pipeline.kernels[k];
    std::vector<const Stage*> stages;
    for (const Stage& stage : kernel.stages) stages.push_back(&stage);
    if (k == 0) {  // a branch is of one kernel
      for (const Branch& branch : pipeline.branches) {
        for (const Stage& stage : branch.stages) stages.push_back(&stage);
      }
    }
    add_stages(config, stages, gpu, footprint);
    if (k > 0) {
      add(footprint, Where::kDevice, gpu, "semaphores", sources * kernel.depth * kHandOverBytes);
    }
    if (sampled > 0) {
      add(footprint, Where::kPinned, 0, "rings of samples",
          sources * kSamples * (kSampleHeaderBytes + sampled));
    }
  }
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = std::uint64_t{1} << 10, kMiB = kKiB << 10;
  if (bytes > 0 && bytes < kMiB) return fmt::format("{} KiB", (bytes + kKiB - 1) / kKiB);
  return fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::uint64_t Footprint::of_gpu(std::uint16_t id) const {
  std::uint64_t bytes = 0;
  for (const FootprintItem& item : items) {
    if (item.where == Where::kDevice && item.gpu == id) bytes += item.bytes;
  }
  return bytes;
}

std::uint64_t Footprint::of(Where where) const {
  std::uint64_t bytes = 0;
  for (const FootprintItem& item : items) {
    if (item.where == where) bytes += item.bytes;
  }
  return bytes;
}

Footprint footprint_of(const Config& config) {
  Footprint footprint;
  add(footprint, Where::kHugepages, 0, "EAL", kEalBytes);
  add_buffers(config, footprint);
  if (!config.interfaces.empty()) add_rings(config, footprint);
  for (const Pipeline& pipeline : config.pipelines) add_pipeline(config, pipeline, footprint);
  return footprint;
}

std::string items_text(const Footprint& footprint, Where where, std::uint16_t gpu) {
  std::vector<std::string> texts;
  for (const FootprintItem& item : footprint.items) {
    if (item.where != where || item.gpu != gpu) continue;
    texts.push_back(fmt::format("{} {}", item.what, bytes_text(item.bytes)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string footprint_comment(const Footprint& footprint) {
  std::string text = "# Memory, about:\n";
  const auto line = [&](Where where, std::uint16_t gpu, const std::string& name,
                        std::uint64_t bytes) {
    if (bytes == 0) return;
    text += fmt::format("#   {}: {} ({})\n", name, bytes_text(bytes),
                        items_text(footprint, where, gpu));
  };
  std::set<std::uint16_t> gpus;
  for (const FootprintItem& item : footprint.items) {
    if (item.where == Where::kDevice) gpus.insert(item.gpu);
  }
  for (const std::uint16_t gpu : gpus) {
    line(Where::kDevice, gpu, fmt::format("GPU {}", gpu), footprint.of_gpu(gpu));
  }
  line(Where::kPinned, 0, "pinned host memory", footprint.of(Where::kPinned));
  line(Where::kHugepages, 0, "hugepages", footprint.of(Where::kHugepages));
  return text;
}

}  // namespace ringside::pipeline
