// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of files whose packets share buffers: one kernel has a packet from its coming to its end.
#include <fmt/core.h>

#include <algorithm>

#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint32_t kMostBufferBytes = 32768;  // what an mbuf of 16 bits of length holds

void check_shape(const RuleContext& context, const Interface& interface, const std::string& path) {
  const Striding& striding = *interface.rx.striding;
  const std::uint32_t bytes = striding.buffer_bytes();
  const std::uint32_t frame = frame_bytes(interface);
  if (bytes > kMostBufferBytes || bytes < frame) {
    context.problems.error(
        path + ".striding.strides",
        fmt::format("{} strides of {} bytes are {}: use {} to {} bytes in all", striding.strides,
                    striding.stride_size, bytes, frame, kMostBufferBytes));
  }
  for (std::size_t q = 0; q < interface.rx.queues.size(); ++q) {
    const RxQueue& queue = interface.rx.queues[q];
    const std::string queue_path = fmt::format("{}.queues[{}]", path, q);
    if (queue.num_desc < 2 * striding.strides) {
      context.problems.error(queue_path + ".num_desc",
                             fmt::format("{} strides are not two buffers of {}: use {} or more",
                                         queue.num_desc, striding.strides, 2 * striding.strides));
    }
    if (queue.memory_regions.size() > 1) {
      context.problems.error(queue_path + ".memory_regions",
                             fmt::format("{} splits headers from data, and {} has buffers that "
                                         "packets share: name one region, or leave striding out",
                                         queue.name, interface.name));
    }
  }
}

void check_alike(const RuleContext& context) {
  const auto& interfaces = context.config.interfaces;
  const auto shape = [](const Interface& one) {
    const auto& striding = one.rx.striding;
    return striding ? std::pair{striding->stride_size, striding->strides} : std::pair{0U, 0U};
  };
  const Interface* first = nullptr;
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    if (interfaces[i].rx.queues.empty()) continue;
    if (first == nullptr) first = &interfaces[i];
    if (shape(interfaces[i]) == shape(*first)) continue;
    context.problems.error(
        fmt::format("interfaces[{}].rx", i),
        fmt::format("striding is not that of {}: give all interfaces the same", first->name));
  }
}

bool strides(const Config& config, const QueueReference& source) {
  return source.interface < config.interfaces.size() &&
         config.interfaces[source.interface].rx.striding.has_value();
}

void check_pipeline(const RuleContext& context, const Pipeline& pipeline, const std::string& path) {
  const auto found = std::ranges::find_if(pipeline.sources, [&](const QueueReference& source) {
    return strides(context.config, source);
  });
  if (found == pipeline.sources.end()) return;
  if (pipeline.kernels.size() > 1) {
    context.problems.error(
        path + ".kernels",
        fmt::format("{} kernels, and packets of {} share buffers: put the stages "
                    "into one",
                    pipeline.kernels.size(), found->name));
  }
}

}  // namespace

void check_striding(const RuleContext& context) {
  const Config& config = context.config;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    if (!config.interfaces[i].rx.striding) continue;
    check_shape(context, config.interfaces[i], fmt::format("interfaces[{}].rx", i));
  }
  check_alike(context);
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    check_pipeline(context, config.pipelines[i], fmt::format("pipelines[{}]", i));
  }
}

}  // namespace ringside::pipeline
