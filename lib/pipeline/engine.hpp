// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs pipelines on a Runtime: their chains and words in GPU memory, their counters, the thread
// that writes what stages hand to the CPU.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/pipeline/block_memory.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/generator_frames.hpp"
#include "lib/pipeline/pipeline_kernels.hpp"
#include "lib/pipeline/plan.hpp"
#include "lib/pipeline/return_path.hpp"
#include "lib/pipeline/sample_sink.hpp"

namespace ringside::pipeline {

/// Of one stage, over all blocks of its kernel, since the start.
struct StageCount {
  std::string pipeline, kernel;
  ChainStage stage;
  stages::StageCounters counters;
};

/// Of one generator, over all of its queues.
struct GeneratorCount {
  std::string generator;
  std::uint64_t packets;  ///< sent, or lost with their queue
};

struct SinkCount {
  std::string pipeline, sink;
  std::uint64_t written;
  std::uint64_t lost;    ///< taken from the ring, and not written
  std::uint64_t sent;    ///< what programs sent by the sink's device
  std::uint64_t unsent;  ///< of that, frames too large for the port
};

class Engine {
 public:
  /// `runtime` was made of the plan, and closes after this has gone. `give_up` ends what takes long
  /// here and in reload(): the machine's compiler. Throws Error, and Stopped then.
  Engine(Config config, Plan plan, Runtime& runtime, GiveUp give_up);
  ~Engine();
  Engine(const Engine&) = delete;

  /// How the kernels came about, for the user; empty: nothing to tell.
  std::string kernels_note() const;
  void start();
  /// Bounded, as Runtime::stop_forwarding(). What was sampled before is written.
  void stop();

  /// Takes over flows and parameters of stages while packets come. Returns what it did and what it
  /// left, a line each. Throws Error or Stopped; all is as it was then.
  std::vector<std::string> reload(Config config, const Plan& plan);

  std::vector<StageCount> stage_counts() const;
  std::vector<SinkCount> sink_counts() const;
  std::vector<GeneratorCount> generator_counts() const;
  /// There are no pipelines, and the generators have made all that they were to make.
  bool finished() const;
  /// Of sinks, known after stop().
  const std::vector<std::string>& sink_errors() const { return sink_errors_; }

 private:
  struct ChainMemory {
    GpuMemory memory;
    std::uint64_t function = 0;  ///< Chain::function
    const stages::Chain* chain() const { return memory.kernel_pointer<const stages::Chain>(); }
  };
  struct OpenSink {
    std::unique_ptr<SampleSink> sink;
    std::optional<ReturnPath> returns;
    std::atomic<std::uint64_t> written{0}, lost{0};
  };
  struct RunningKernel {
    GpuDevice& gpu;  ///< of all its blocks
    ChainImage image;
    GpuMemory words;  ///< that its blocks share
    std::deque<ChainMemory> chains;
    const stages::Chain* current = nullptr;
    std::vector<BlockMemory*> blocks;
  };
  struct Running {
    std::deque<RunningKernel> kernels;
    std::deque<OpenSink> sinks;  ///< by their index in the pipeline
  };

  bool splits() const { return plan_.runtime.headers.has_value(); }
  GpuDevice& gpu_of(std::size_t pipeline) const;
  PipelineKernels& kernels_of(std::size_t pipeline) const;
  GeneratorArgs generator_args_of(const PlannedSource& source) const;
  std::vector<ChainImage> build(const Config& config, std::size_t pipeline);
  void open(OpenSink& open, const Sink& sink);
  void refuse_missing_offload(const TxOffload& offload, std::size_t interface,
                              std::size_t queue) const;
  const stages::Chain* lay(RunningKernel& running, const ChainImage& image);
  void set_chain(RunningKernel& running, const stages::Chain* chain);
  std::vector<ProgramChain> chains(const GpuDevice& gpu) const;
  std::vector<ProgramLaunch> launches() const;
  std::vector<std::string> change_flows(const std::vector<PortFlows>& flows);
  bool is_used(const RunningKernel& running, const stages::Chain* chain) const;
  void let_go_of_functions();
  void end_drain();
  void drain_until(const std::stop_token& stop);
  bool drain_once();

  /// What kernels use.
  struct Shared {
    std::map<GpuDevice*, PipelineKernels> kernels;
    std::deque<Running> running;
    std::deque<BlockMemory> blocks;
    std::deque<GpuMemory> sources;  ///< GeneratorArgs
  };

  Config config_;
  Plan plan_;
  Runtime& runtime_;
  GiveUp give_up_;
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
  std::deque<Running>& running_ = shared_->running;    ///< a pipeline each
  std::deque<BlockMemory>& blocks_ = shared_->blocks;  ///< stream by stream, one for each
                                                       ///< of its kernels
  std::deque<GpuMemory>& sources_ = shared_->sources;  ///< a planned source each
  std::vector<std::size_t> pipeline_of_block_;         ///< the drain's
  std::vector<std::string> sink_errors_;               ///< the drain's, until it has ended
  std::vector<std::int64_t> clock_to_unix_ns_;         ///< of each block; the drain's
  std::jthread drain_;
};

}  // namespace ringside::pipeline
