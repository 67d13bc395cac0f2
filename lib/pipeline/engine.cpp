// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/engine.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/pipeline/address.hpp"
#include "lib/pipeline/send_offload.hpp"
#include "lib/pipeline/sizing.hpp"
#include "lib/runtime/program_args.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::int64_t kUnknownClock = std::numeric_limits<std::int64_t>::max();
constexpr std::chrono::milliseconds kDrainPeriod{1};

std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The one that a sink of the CPU names.
std::optional<std::uint16_t> core_of(const Config& config) {
  for (const Pipeline& pipeline : config.pipelines) {
    for (const Sink& sink : pipeline.sinks) {
      const auto* const cpu = std::get_if<CpuSink>(&sink.params);
      if (cpu != nullptr && cpu->core) return cpu->core;
    }
  }
  return std::nullopt;
}

void pin_to(std::uint16_t core) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(core, &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

}  // namespace

Engine::Engine(Config config, Plan plan, Runtime& runtime, GiveUp give_up)
    : config_(std::move(config)),
      plan_(std::move(plan)),
      runtime_(runtime),
      give_up_(std::move(give_up)) {
  for (const PlannedStream& stream : plan_.streams) {
    refuse_missing_offload(stream.offload, stream.queues.tx_port, stream.queues.tx_queue);
  }
  for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
    const StreamQueues& queues = plan_.runtime.streams[plan_.streams.size() + i];
    refuse_missing_offload(plan_.sources[i].offload, queues.tx_port, queues.tx_queue);
  }
  for (std::size_t p = 0; p < config_.pipelines.size(); ++p) {
    Running& running = running_.emplace_back();
    for (ChainImage& image : build(config_, p)) {
      RunningKernel& kernel = running.kernels.emplace_back(RunningKernel{.gpu = gpu_of(p)});
      kernel.image = std::move(image);
    }
  }
  for (auto& [gpu, kernels] : shared_->kernels) kernels.compile(chains(*gpu));
  for (std::size_t p = 0; p < config_.pipelines.size(); ++p) {
    Running& running = running_[p];
    for (std::size_t k = 0; k < running.kernels.size(); ++k) {
      RunningKernel& kernel = running.kernels[k];
      kernels_of(p).set_shape(program_of(k, running.kernels.size(), plan_.runtime), kernel.image);
      set_chain(kernel, lay(kernel, kernel.image));
      kernel.words = kernel.gpu.allocate((kernel.image.state_words + 1) * sizeof(std::uint64_t),
                                         sizeof(std::uint64_t));
    }
    for (const Sink& sink : config_.pipelines[p].sinks) {
      open(running.sinks.emplace_back(), sink);
    }
  }
  for (const PlannedStream& stream : plan_.streams) {
    for (RunningKernel& kernel : running_[stream.pipeline].kernels) {
      const std::uint32_t snaplen =
          std::min<std::uint32_t>(kernel.image.snaplen, plan_.runtime.mbuf_size);
      const BlockMemory::Options options{kernel.words.kernel_pointer<std::uint64_t>(),
                                         static_cast<std::uint32_t>(kernel.blocks.size()),
                                         stream.offload, stream.gather_ns};
      BlockMemory& block =
          blocks_.emplace_back(kernel.gpu, kernel.image.stages.size(), options, snaplen);
      block.set_chain(kernel.gpu, kernel.current);
      kernel.blocks.push_back(&block);
      pipeline_of_block_.push_back(stream.pipeline);
      clock_to_unix_ns_.push_back(kUnknownClock);
    }
  }
  for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
    const GeneratorArgs args = generator_args_of(plan_.sources[i]);
    GpuDevice& gpu = runtime_.gpu_of_stream(plan_.streams.size() + i);
    sources_.push_back(gpu.allocate(sizeof args, alignof(GeneratorArgs)));
    gpu.copy_to_device(sources_.back(), 0, &args, sizeof args);
  }
}

Engine::~Engine() {
  end_drain();
  // A block that did not stop may still use all of it: leave it to the end of the process.
  if (runtime_.forwarding()) static_cast<void>(shared_.release());
}

void Engine::refuse_missing_offload(const TxOffload& offload, std::size_t interface,
                                    std::size_t queue) const {
  const PortInfo info = runtime_.port_info(runtime_.ports().at(interface));
  const std::string missing = missing_offload(offload, info.tx_offloads);
  if (missing.empty()) return;
  const Interface& of = config_.interfaces.at(interface);
  throw usage_error(fmt::format("{} of {}.{}: the NIC {} does not offer it", missing, of.name,
                                of.tx.queues.at(queue).name, info.device_name),
                    "leave it out");
}

void Engine::open(OpenSink& open, const Sink& sink) {
  const auto* const cpu = std::get_if<CpuSink>(&sink.params);
  if (cpu == nullptr || cpu->interface.name.empty()) {
    open.sink = open_sink(sink, std::nullopt);
    return;
  }
  const Interface& interface = config_.interfaces.at(cpu->interface.index);
  const std::uint16_t port = runtime_.ports().at(cpu->interface.index);
  const MacAddress mac = parse_mac(runtime_.port_info(port).mac_address).value();
  open.sink = open_sink(sink, TapPort{mac, interface.mtu});
  open.returns.emplace(*open.sink, runtime_, port, frame_bytes(interface));
}

/// A pipeline has a source at least, and its sources' packets are on one GPU.
GpuDevice& Engine::gpu_of(std::size_t pipeline) const {
  const auto stream = std::ranges::find(plan_.streams, pipeline, &PlannedStream::pipeline);
  return runtime_.gpu_of_stream(static_cast<std::size_t>(stream - plan_.streams.begin()));
}

PipelineKernels& Engine::kernels_of(std::size_t pipeline) const {
  GpuDevice& gpu = gpu_of(pipeline);
  return shared_->kernels.try_emplace(&gpu, gpu, give_up_).first->second;
}

std::string Engine::kernels_note() const {
  std::string note;
  for (const auto& [gpu, kernels] : shared_->kernels) {
    if (kernels.note().empty()) continue;
    note += fmt::format("{}{}: {}", note.empty() ? "" : "\n", gpu->info().name, kernels.note());
  }
  return note;
}

GeneratorArgs Engine::generator_args_of(const PlannedSource& source) const {
  const Generator& generator = config_.generator[source.generator];
  const std::uint16_t port = runtime_.ports().at(generator.queues[source.queue].interface);
  GeneratorArgs args =
      generator_args(generator, source.queue, program_args(plan_.runtime, port, mac_of(port)));
  args.offload = source.offload;
  return args;
}

std::vector<ChainImage> Engine::build(const Config& config, std::size_t pipeline) {
  PipelineKernels& kernels = kernels_of(pipeline);
  const auto user_function = [&kernels](const UserStage& stage) { return kernels.function(stage); };
  const Pipeline& of = config.pipelines[pipeline];
  std::vector<ChainImage> images;
  for (std::size_t k = 0; k < of.kernels.size(); ++k) {
    images.push_back(build_chain(of, k, config.tables, user_function, splits()));
  }
  return images;
}

/// Of what runs on the GPU, each with the program that it is for.
std::vector<ProgramChain> Engine::chains(const GpuDevice& gpu) const {
  std::vector<ProgramChain> chains;
  for (const Running& running : running_) {
    if (&running.kernels.front().gpu != &gpu) continue;
    for (std::size_t k = 0; k < running.kernels.size(); ++k) {
      chains.push_back(
          {program_of(k, running.kernels.size(), plan_.runtime), &running.kernels[k].image});
    }
  }
  return chains;
}

bool Engine::is_used(const RunningKernel& running, const stages::Chain* chain) const {
  if (chain == running.current) return true;
  return std::ranges::any_of(
      running.blocks, [chain](const BlockMemory* block) { return block->chain_in_use() == chain; });
}

/// Into memory that no block reads.
const stages::Chain* Engine::lay(RunningKernel& running, const ChainImage& image) {
  const std::size_t size = image.words.size() * sizeof(std::uint64_t);
  auto free = std::ranges::find_if(running.chains, [&](const ChainMemory& one) {
    return one.memory.size() >= size && !is_used(running, one.chain());
  });
  if (free == running.chains.end()) {
    running.chains.push_back({running.gpu.allocate(size, alignof(stages::Chain))});
    free = running.chains.end() - 1;
  }
  free->function = reinterpret_cast<const stages::Chain*>(image.words.data())->function;
  running.gpu.copy_to_device(free->memory, 0, image.words.data(), size);
  return free->chain();
}

void Engine::set_chain(RunningKernel& running, const stages::Chain* chain) {
  running.current = chain;
  for (BlockMemory* const block : running.blocks) block->set_chain(running.gpu, chain);
}

/// One for all blocks of a program that have the same size, kernel by kernel of the pipelines.
std::vector<ProgramLaunch> Engine::launches() const {
  std::vector<ProgramLaunch> launches;
  for (std::size_t k = 0; k < plan_.runtime.blocks_per_stream; ++k) {
    const std::size_t before = launches.size();
    std::size_t next_block = 0;
    for (std::size_t i = 0; i < plan_.streams.size(); ++i) {
      const std::vector<Kernel>& kernels = config_.pipelines[plan_.streams[i].pipeline].kernels;
      const std::size_t first_block = next_block;
      next_block += kernels.size();
      if (k >= kernels.size()) continue;
      const std::string program =
          kernels_of(plan_.streams[i].pipeline).name(program_of(k, kernels.size(), plan_.runtime));
      const std::uint32_t threads = kernels[k].threads_per_block.value_or(0);
      auto launch = std::find_if(launches.begin() + static_cast<std::ptrdiff_t>(before),
                                 launches.end(), [&](const ProgramLaunch& one) {
                                   return one.kernel == program && one.threads_per_block == threads;
                                 });
      if (launch == launches.end()) {
        launches.push_back({program, threads, {}});
        launch = launches.end() - 1;
      }
      launch->blocks.push_back({i, blocks_[first_block + k].args(), kernels[k].depth});
    }
  }
  // Last: what they send may come back.
  if (!sources_.empty()) launches.push_back({"generator", 0, {}, false, true});
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    launches.back().blocks.push_back(
        {plan_.streams.size() + i, sources_[i].kernel_pointer<const void>(), 0});
  }
  return launches;
}

void Engine::start() {
  runtime_.start_programs(launches());
  const bool samples = std::ranges::any_of(blocks_, &BlockMemory::samples);
  if (!samples) return;
  drain_ = std::jthread([this, core = core_of(config_)](const std::stop_token& stop) {
    if (core) pin_to(*core);
    drain_until(stop);
  });
}

void Engine::stop() {
  try {
    runtime_.stop_forwarding();
  } catch (const Error&) {
    end_drain();
    throw;
  }
  end_drain();
}

void Engine::end_drain() {
  if (!drain_.joinable()) return;
  drain_.request_stop();
  drain_.join();
}

void Engine::drain_until(const std::stop_token& stop) {
  // After the stop, once more: the kernel has ended, and what it left is the last.
  for (bool last = false; !last;) {
    last = stop.stop_requested();
    if (!drain_once() && !last) std::this_thread::sleep_for(kDrainPeriod);
  }
  for (Running& running : running_) {
    for (OpenSink& open : running.sinks) {
      if (open.sink == nullptr) continue;
      if (std::string error = open.sink->finish(); !error.empty()) {
        sink_errors_.push_back(std::move(error));
      }
    }
  }
}

bool Engine::drain_once() {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Running& running = running_[pipeline_of_block_[i]];
    std::uint64_t clock_ns = 0;
    std::int64_t& offset = clock_to_unix_ns_[i];
    const std::size_t count = blocks_[i].drain(clock_ns, [&](const stages::SampleHeader& header,
                                                             const std::uint8_t* bytes) {
      // The block's clock is some clock. Samples are seen soon after they are made, at the best
      // of times at once: the smallest difference is the nearest to the truth.
      offset = std::min(offset, unix_now_ns() - static_cast<std::int64_t>(clock_ns));
      OpenSink& open = running.sinks[header.sink];
      const SampledPacket packet{bytes, header.captured, header.length,
                                 header.clock_ns + static_cast<std::uint64_t>(offset)};
      (open.sink->write(packet) ? open.written : open.lost).fetch_add(1, std::memory_order_relaxed);
    });
    taken += count;
  }
  for (Running& running : running_) {
    for (OpenSink& open : running.sinks) {
      if (open.returns) taken += open.returns->turn();
    }
  }
  return taken > 0;
}

std::vector<StageCount> Engine::stage_counts() const {
  std::vector<StageCount> counts;
  for (std::size_t p = 0; p < running_.size(); ++p) {
    const Pipeline& pipeline = config_.pipelines[p];
    for (std::size_t k = 0; k < pipeline.kernels.size(); ++k) {
      const RunningKernel& kernel = running_[p].kernels[k];
      std::vector<stages::StageCounters> sums(kernel.image.stages.size());
      for (const BlockMemory* const block : kernel.blocks) {
        const std::vector<stages::StageCounters> one = block->counters();
        for (std::size_t i = 0; i < sums.size(); ++i) {
          sums[i].on += one[i].on;
          sums[i].otherwise += one[i].otherwise;
          sums[i].on_bytes += one[i].on_bytes;
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i) {
        counts.push_back(
            {pipeline.name, pipeline.kernels[k].name, kernel.image.stages[i], sums[i]});
      }
    }
  }
  return counts;
}

std::vector<GeneratorCount> Engine::generator_counts() const {
  std::vector<GeneratorCount> counts;
  for (const Generator& generator : config_.generator) counts.push_back({generator.name, 0});
  const std::vector<StreamStats> streams = runtime_.stream_stats();
  for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
    counts[plan_.sources[i].generator].packets += streams[plan_.streams.size() + i].tx_generated;
  }
  return counts;
}

bool Engine::finished() const {
  if (!config_.pipelines.empty()) return false;
  const std::vector<GeneratorCount> counts = generator_counts();
  return std::ranges::equal(counts, config_.generator,
                            [](const GeneratorCount& made, const Generator& generator) {
                              return generator.count != 0 && made.packets == generator.count;
                            });
}

std::vector<SinkCount> Engine::sink_counts() const {
  std::vector<SinkCount> counts;
  for (std::size_t p = 0; p < running_.size(); ++p) {
    for (std::size_t i = 0; i < running_[p].sinks.size(); ++i) {
      const OpenSink& open = running_[p].sinks[i];
      if (open.sink == nullptr) continue;
      counts.push_back(
          {config_.pipelines[p].name, config_.pipelines[p].sinks[i].name,
           open.written.load(std::memory_order_relaxed), open.lost.load(std::memory_order_relaxed),
           open.returns ? open.returns->sent() : 0, open.returns ? open.returns->lost() : 0});
    }
  }
  return counts;
}

}  // namespace ringside::pipeline
