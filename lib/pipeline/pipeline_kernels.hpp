// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The kernels that pipelines run on: compiled for their chains where the GPU has a compiler, those
// that were built in elsewhere. On CPU threads, those that were built in call what was compiled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stages/chain.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/pipeline/bounded_command.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/chain_source.hpp"
#include "lib/pipeline/host_chains.hpp"
#include "lib/pipeline/user_stages.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::pipeline {

/// Of one of so many kernels (kernels/joint_pipeline.hpp); of one, where packets are in two parts
/// or share buffers.
std::string_view program_of(std::size_t kernel, std::size_t kernels, const RuntimeConfig& runtime);

/// A chain, and the program (kernels/) that runs it.
struct ProgramChain {
  std::string_view program;
  const ChainImage* image;
};

class PipelineKernels {
 public:
  /// `give_up` is for the machine's compiler; what it ends throws Stopped.
  PipelineKernels(GpuDevice& gpu, const GiveUp& give_up)
      : gpu_(gpu), user_stages_(give_up), host_chains_(give_up) {}

  /// For UserParameters::function. Throws Error: see UserStages; and for one that the kernels, once
  /// they are compiled, do not have.
  std::uint64_t function(const UserStage& stage);

  /// For the chains to start with. Throws usage_error with what the compiler says of a user's
  /// source, and where only a compiler could make a kernel with a user's stage.
  void compile(const std::vector<ProgramChain>& chains);

  /// Puts into the chain which of its kernel's shapes it has, or its function. Returns why it has
  /// none though others do, so that it is walked in memory; empty: it has, or none has.
  std::string set_shape(std::string_view program, ChainImage& image);
  /// Lets go of functions of chains that are none of these, and that no kernel runs any more.
  void keep_only(const std::set<std::uint64_t>& functions) { host_chains_.keep_only(functions); }

  /// The program's kernel, for GpuDevice::launch().
  std::string name(std::string_view program) const;
  /// How they came about, for the user; empty: nothing to tell.
  const std::string& note() const { return note_; }

 private:
  struct Used {
    UserStage stage;
    KernelFunction function;
  };
  using Shapes = std::vector<std::string>;
  using ShapesOf = std::map<std::string, Shapes, std::less<>>;  ///< by program
  KernelSource source(std::string_view program, const Shapes& shapes);
  /// false: there is no compiler, and `why_not`.
  bool make_kernels(ShapesOf wanted, std::string& why_not);
  bool make_functions(const ShapesOf& wanted, std::string& why_not);
  std::string set_function(bool splits, stages::Chain& chain, const std::string& shape);
  std::string shape_of(const ChainImage& image) const;

  GpuDevice& gpu_;
  UserStages user_stages_;
  HostChains host_chains_;
  bool functions_made_ = false;
  std::vector<Used> used_;  ///< by the number of the function
  ShapesOf shapes_;         ///< of the programs that are compiled
  std::string note_;
};

}  // namespace ringside::pipeline
