// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What an engine takes over of another file while packets come.
#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/pipeline/engine.hpp"

namespace ringside::pipeline {
namespace {

/// All of it but the parameters of the stages.
bool is_same_kernel(const Kernel& a, const Kernel& b) {
  return a.name == b.name && a.threads_per_block == b.threads_per_block && a.depth == b.depth;
}

}  // namespace

std::vector<std::string> Engine::reload(Config config, const Plan& plan) {
  const bool same_streams = std::ranges::equal(
      plan_.streams, plan.streams, [](const PlannedStream& a, const PlannedStream& b) {
        return a.pipeline == b.pipeline && a.queues.rx_port == b.queues.rx_port &&
               a.queues.rx_queue == b.queues.rx_queue && a.queues.tx_port == b.queues.tx_port &&
               a.queues.tx_queue == b.queues.tx_queue &&
               a.queues.tx_bit_rate == b.queues.tx_bit_rate;
      });
  // Flows name queues and ports by their place.
  const bool same_interfaces = std::ranges::equal(
      config_.interfaces, config.interfaces, [](const Interface& a, const Interface& b) {
        return a.name == b.name && a.address == b.address &&
               a.rx.queues.size() == b.rx.queues.size() && a.tx.queues.size() == b.tx.queues.size();
      });
  if (!same_interfaces) {
    throw usage_error("other interfaces or queues", "start anew to have them");
  }
  if (!same_streams || config.pipelines.size() != running_.size()) {
    throw usage_error("other pipelines, sources or send queues", "start anew to have them");
  }
  if (!std::ranges::equal(plan_.runtime.streams, plan.runtime.streams, {},
                          &StreamQueues::tx_bit_rate, &StreamQueues::tx_bit_rate)) {
    throw usage_error("another pacing of a send queue", "start anew to have it");
  }
  if (!has_same_generators(config, plan)) {
    throw usage_error("other generators", "start anew to have them");
  }
  std::vector<std::vector<ChainImage>> images;
  std::vector<bool> known;  // their shapes, to the kernels
  for (std::size_t p = 0; p < running_.size(); ++p) {
    const Pipeline& now = config.pipelines[p];
    // They are open, and samples name them by their place.
    if (now.sinks != config_.pipelines[p].sinks) {
      throw usage_error(fmt::format("pipeline {} has other sinks", now.name),
                        "start anew to have them");
    }
    if (!std::ranges::equal(now.kernels, config_.pipelines[p].kernels, is_same_kernel)) {
      throw usage_error(fmt::format("pipeline {} has other kernels", now.name),
                        "start anew to have them");
    }
    images.push_back(build(config, p));
    known.push_back(true);
    for (std::size_t k = 0; k < images[p].size(); ++k) {
      const ChainImage& old = running_[p].kernels[k].image;
      ChainImage& image = images[p][k];
      if (image.stages != old.stages || image.state_words != old.state_words ||
          image.snaplen != old.snaplen) {
        throw usage_error(fmt::format("pipeline {} has other stages", now.name),
                          "a reload changes the parameters of stages; start anew to have others");
      }
      if (!kernels_of(p).set_shape(program_of(k, images[p].size(), splits()), image)) {
        known[p] = false;
      }
    }
  }
  std::vector<std::vector<const stages::Chain*>> chains;
  for (std::size_t p = 0; p < running_.size(); ++p) {
    chains.emplace_back(images[p].size());
    for (std::size_t k = 0; k < images[p].size(); ++k) {
      RunningKernel& kernel = running_[p].kernels[k];
      if (images[p][k].words != kernel.image.words) chains[p][k] = lay(kernel, images[p][k]);
    }
  }
  // Last of what may fail.
  std::vector<std::string> said = change_flows(plan.runtime.flows);
  for (std::size_t p = 0; p < running_.size(); ++p) {
    bool changed = false;
    for (std::size_t k = 0; k < images[p].size(); ++k) {
      if (chains[p][k] == nullptr) continue;
      set_chain(running_[p].kernels[k], chains[p][k]);
      running_[p].kernels[k].image = std::move(images[p][k]);
      changed = true;
    }
    if (changed) {
      said.push_back(fmt::format(
          "pipeline {}: new parameters{}", config.pipelines[p].name,
          known[p] ? "" : ", of a shape that the kernel was not made for: a new start is faster"));
    }
  }
  if (said.empty()) said.emplace_back("nothing that a reload changes is different");
  config_ = std::move(config);
  return said;
}

bool Engine::has_same_generators(const Config& config, const Plan& plan) const {
  const auto is_same = [&](const PlannedSource& a, const PlannedSource& b) {
    const Generator& now = config_.generator[a.generator];
    const Generator& then = config.generator[b.generator];
    return now.name == then.name && now.queues[a.queue].name == then.queues[b.queue].name &&
           generator_args_of(config_, a) == generator_args_of(config, b);
  };
  return std::ranges::equal(plan_.sources, plan.sources, is_same);
}

/// Of all ports, or of none.
std::vector<std::string> Engine::change_flows(const std::vector<PortFlows>& flows) {
  const std::vector<std::uint16_t> ports = runtime_.ports();
  std::vector<std::string> said;
  std::vector<std::size_t> changed;
  try {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (flows[i] == plan_.runtime.flows[i]) continue;
      runtime_.change_flows(ports[i], flows[i]);
      changed.push_back(i);
      said.push_back(fmt::format("{}: new flows", config_.interfaces[i].name));
    }
  } catch (const Error&) {
    for (const std::size_t i : changed) {
      runtime_.change_flows(ports[i], plan_.runtime.flows[i]);
    }
    throw;
  }
  plan_.runtime.flows = flows;
  return said;
}

}  // namespace ringside::pipeline
