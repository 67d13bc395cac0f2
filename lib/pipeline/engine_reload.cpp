// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What an engine takes over of another file while packets come.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/pipeline/engine.hpp"
#include "lib/pipeline/load.hpp"
#include "lib/pipeline/map_keys.hpp"

namespace ringside::pipeline {
namespace {

/// What is no reload's to change.
Json fixed_part(const Config& config) {
  Config without_tables = config;  // which can have millions of entries
  without_tables.tables.clear();
  Json json = config_json(without_tables);
  for (const char* const key : {"tables", "telemetry"}) json.erase(key);
  for (Json& interface : json["interfaces"]) {
    for (const char* const key : {"flows", "unmatched"}) interface["rx"].erase(key);
  }
  for (Json& pipeline : json["pipelines"]) {
    for (Json& kernel : pipeline["kernels"]) kernel.erase("stages");
    for (Json& branch : pipeline["branches"]) {
      for (const char* const key : {"stages", "then"}) branch.erase(key);
    }
  }
  return json;
}

/// The path of the first value in which they differ; empty: they are the same.
std::string first_difference(const Json& a, const Json& b, const std::string& path) {
  if (a == b) return {};
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key)) return joined(path, key);
      if (std::string found = first_difference(value, b[key], joined(path, key)); !found.empty()) {
        return found;
      }
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) return joined(path, key);
    }
  } else if (a.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::string found = first_difference(a[i], b[i], fmt::format("{}[{}]", path, i));
      if (!found.empty()) return found;
    }
  }
  return path;
}

}  // namespace

std::vector<std::string> Engine::reload(Config config, const Plan& plan) {
  const std::string other = first_difference(fixed_part(config_), fixed_part(config), {});
  if (!other.empty()) {
    throw usage_error(fmt::format("{} is another one", other),
                      "a reload changes flows, tables, parameters of stages and telemetry; start "
                      "anew to have others");
  }
  let_go_of_functions();
  std::vector<std::vector<ChainImage>> images;
  std::vector<std::string> walked;  // why
  for (std::size_t p = 0; p < running_.size(); ++p) {
    images.push_back(build(config, p));
    walked.emplace_back();
    for (std::size_t k = 0; k < images[p].size(); ++k) {
      const ChainImage& old = running_[p].kernels[k].image;
      ChainImage& image = images[p][k];
      if (image.stages != old.stages || image.state_words != old.state_words ||
          image.snaplen != old.snaplen) {
        throw usage_error(fmt::format("pipeline {} has other stages", config.pipelines[p].name),
                          "a reload changes the parameters of stages; start anew to have others");
      }
      const std::string_view program = program_of(k, images[p].size(), plan_.runtime);
      if (std::string why = kernels_of(p).set_shape(program, image); !why.empty()) {
        walked[p] = ", kernel not made for them, which costs speed: " + std::move(why);
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
      said.push_back(
          fmt::format("pipeline {}: new parameters{}", config.pipelines[p].name, walked[p]));
    }
  }
  config_ = std::move(config);
  return said;
}

/// Of chains that blocks have left since the reloads before.
void Engine::let_go_of_functions() {
  for (auto& [gpu, kernels] : shared_->kernels) {
    std::set<std::uint64_t> used;
    for (const Running& running : running_) {
      for (const RunningKernel& kernel : running.kernels) {
        for (const ChainMemory& one : kernel.chains) {
          if (is_used(kernel, one.chain())) used.insert(one.function);
        }
      }
    }
    kernels.keep_only(used);
  }
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
