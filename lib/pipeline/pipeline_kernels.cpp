// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/pipeline_kernels.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "kernels/joint_pipeline.hpp"
#include "kernels/stages/chain.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/source_text.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{16} << 20;

std::string text_of(const std::string& file) {
  std::string why;
  auto text = read_file(file, kMostSourceBytes, why);
  if (!text) throw usage_error(fmt::format("cannot read {}: {}", file, why), "");
  return *text;
}

std::string entry_of(std::string_view program) {
  return fmt::format("ringside_compiled_{}", program);
}

bool splits(std::string_view program) {
  return program == SplitPipeline::kName;
}

/// Of kernels/pipeline.hpp and joint_pipeline.hpp.
const char* type_of(std::string_view program) {
  if (splits(program)) return "SplitPipeline";
  if (program == StridedPipeline::kName) return "StridedPipeline";
  if (program == PipelineFirst::kName) return "PipelineFirst";
  if (program == PipelineMiddle::kName) return "PipelineMiddle";
  return program == PipelineLast::kName ? "PipelineLast" : "Pipeline";
}

}  // namespace

std::string_view program_of(std::size_t kernel, std::size_t kernels, const RuntimeConfig& runtime) {
  if (runtime.headers) return SplitPipeline::kName;
  if (runtime.strides) return StridedPipeline::kName;
  if (kernels == 1) return ringside::Pipeline::kName;
  if (kernel == 0) return PipelineFirst::kName;
  return kernel + 1 == kernels ? PipelineLast::kName : PipelineMiddle::kName;
}

std::uint64_t PipelineKernels::function(const UserStage& stage) {
  if (gpu_.runs_host_functions()) {
    return reinterpret_cast<std::uint64_t>(user_stages_.function(stage));
  }
  const auto same = [&stage](const Used& used) {
    return used.stage.source == stage.source && used.stage.object == stage.object &&
           used.stage.function == stage.function;
  };
  const auto found = std::ranges::find_if(used_, same);
  if (found != used_.end()) return static_cast<std::uint64_t>(found - used_.begin());
  if (!shapes_.empty()) {
    throw usage_error(fmt::format("the stage {} is not part of the running kernel", stage.function),
                      "start anew to have it");
  }
  used_.push_back({stage, {stage.function, stage.source}});
  return used_.size() - 1;
}

KernelSource PipelineKernels::source(std::string_view program, const Shapes& shapes) {
  std::vector<KernelFunction> functions;
  KernelSource source;
  std::set<std::string> files;
  for (const Used& used : used_) {
    functions.push_back(used.function);
    const UserStage& stage = used.stage;
    if (!files.insert(stage.source + stage.object).second) continue;
    if (stage.source.empty()) {
      source.objects.push_back({stage.object, user_stages_.device_code(stage)});
    } else {
      source.files.push_back({stage.source, text_of(stage.source)});
      source.folders.push_back(std::filesystem::absolute(stage.source).parent_path());
    }
  }
  source.entry = entry_of(program);
  source.text = kernel_source(source.entry, type_of(program), shapes, functions);
  return source;
}

void PipelineKernels::compile(const std::vector<ProgramChain>& chains) {
  ShapesOf wanted;
  for (const ProgramChain& chain : chains) {
    Shapes& shapes = wanted[std::string(chain.program)];
    if (chain.image->stages.size() > kMostKnownStages) continue;
    std::string shape = shape_of(*chain.image);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(std::move(shape));
  }
  const std::uint64_t begin_ns = monotonic_ns();
  std::string why_not;
  const bool made = gpu_.runs_host_functions() ? make_functions(wanted, why_not)
                                               : make_kernels(std::move(wanted), why_not);
  note_ = made ? fmt::format("kernel made for this file in {:.2f} s",
                             static_cast<double>(monotonic_ns() - begin_ns) * 1e-9)
               : fmt::format("kernel not made for this file, which costs speed: {}", why_not);
}

bool PipelineKernels::make_kernels(ShapesOf wanted, std::string& why_not) {
  for (const auto& [program, shapes] : wanted) {
    if (gpu_.add_kernel(source(program, shapes), why_not)) continue;
    if (!used_.empty()) {
      throw usage_error(fmt::format("the stage {} cannot be made part of a kernel for {}: {}",
                                    used_.front().stage.function, gpu_.info().name, why_not),
                        "install the CUDA toolkit's run-time compiler, NVRTC");
    }
    return false;
  }
  shapes_ = std::move(wanted);
  return true;
}

bool PipelineKernels::make_functions(const ShapesOf& wanted, std::string& why_not) {
  try {
    for (const auto& [program, shapes] : wanted) host_chains_.add(shapes, splits(program));
  } catch (const Error& error) {
    why_not = error.problem();
    return false;
  }
  functions_made_ = true;
  return true;
}

std::string PipelineKernels::shape_of(const ChainImage& image) const {
  return shape_members(
      image, gpu_.runs_host_functions() ? UserFunctionKind::kAddress : UserFunctionKind::kNumber);
}

std::string PipelineKernels::set_shape(std::string_view program, ChainImage& image) {
  // A longer one is never compiled: there is nothing to say.
  if (image.stages.size() > kMostKnownStages) return {};
  auto& chain = *reinterpret_cast<stages::Chain*>(image.words.data());
  if (gpu_.runs_host_functions()) return set_function(splits(program), chain, shape_of(image));
  const auto of = shapes_.find(program);
  if (of == shapes_.end()) return {};
  const auto found = std::ranges::find(of->second, shape_of(image));
  if (found == of->second.end()) return "a GPU's kernel is made once, at the start: start anew";
  chain.shape = static_cast<std::uint32_t>(found - of->second.begin()) + 1;
  return {};
}

std::string PipelineKernels::set_function(bool splits, stages::Chain& chain,
                                          const std::string& shape) {
  // Where the first start's failed, it has been said, and the compiler is not asked again.
  if (!functions_made_) return {};
  try {
    if (host_chains_.function(shape, splits) == 0) host_chains_.add({shape}, splits);
  } catch (const Error& error) {
    return error.problem();
  }
  chain.function = host_chains_.function(shape, splits);
  return {};
}

std::string PipelineKernels::name(std::string_view program) const {
  return shapes_.contains(program) ? entry_of(program) : std::string(program);
}

}  // namespace ringside::pipeline
