// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_datapath.hpp"

#include <algorithm>

#include "lib/base/clock.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/runtime/stream_restart.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kLookPeriodNs = 500'000'000;  // long before 2^32 drops

}  // namespace

GpuDatapath::GpuDatapath(const RuntimeConfig& config, std::vector<GpuHome> homes,
                         const std::vector<std::unique_ptr<Nic>>& nics,
                         const std::vector<std::unique_ptr<EthPort>>& ports)
    : config_(config),
      homes_(std::move(homes)),
      placement_(config, ports.size()),
      proxy_(homes_.front().gpu, Eal::cpus()),
      arguments_(config, homes_.front().gpu, placement_.streams().size()),
      tracer_(config) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports_.emplace_back(*ports[i], *nics[i], i, homes_, placement_, proxy_, config);
  }
  for (const StreamQueues& queues : placement_.streams()) {
    SteeredPort& from = ports_[queues.rx_port];
    SteeredPort& to = ports_[queues.tx_port];
    const GpuStream& stream = streams_.emplace_back(
        StreamQueues{from.id, queues.rx_queue, to.id, queues.tx_queue, queues.tx_bit_rate},
        arguments_.words(streams_.size()));
    tracer_.add(homes_[placement_.of_port(queues.rx_port)].gpu,
                {nics[queues.rx_port]->context(), from.queues.rx(queues.rx_queue).stamp_to_ns()},
                {nics[queues.tx_port]->context(), to.queues.tx(queues.tx_queue).stamp_to_ns()},
                stream.queues());
  }
}

void GpuDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  ProgramLaunch one{kernel_of(mode), config_.threads_per_block, {}, mode.receives, mode.sends};
  for (std::size_t i = 0; i < streams_.size(); ++i) one.blocks.push_back({i, nullptr, 0});
  tracer_.trace(one, mode);
  // The kernel that traces receives once it has sent its own frames.
  const bool only_sends = tracer_.on() && !mode.receives;
  launch({one}, only_sends ? kEndlessBurst : std::uint64_t{tx_first} * config_.burst);
  tracer_.run_began();
}

std::string GpuDatapath::kernel_of(const ForwardMode& mode) const {
  const bool strides = config_.strides && mode.receives;
  return fmt::format("{}{}", strides ? "strided_" : "", mode.name);
}

void GpuDatapath::start_programs(const std::vector<ProgramLaunch>& launches) {
  tracer_.refuse(launches.front().kernel);
  launch(launches, 0);
}

std::vector<KernelPlan> GpuDatapath::plan(const std::vector<ProgramLaunch>& launches,
                                          std::uint64_t first_burst) {
  std::vector<std::size_t> next_block(streams_.size());
  std::vector<KernelPlan> plans;
  for (const ProgramLaunch& launch : launches) {
    for (std::size_t gpu = 0; gpu < homes_.size(); ++gpu) {
      KernelPlan one{
          .gpu = homes_[gpu].gpu,
          .config = {.kernel = launch.kernel,
                     .threads_per_block = homes_[gpu].gpu.block_threads(launch.threads_per_block),
                     .streams = {},
                     .cpus = Eal::cpus()},
          .blocks = {}};
      for (const ProgramBlock& block : launch.blocks) {
        if (gpu_index(block.stream) != gpu) continue;
        const std::size_t number = next_block[block.stream]++;
        one.config.streams.push_back(
            arguments_.of_block(block.stream, ends_of(block.stream), number, first_burst));
        one.config.streams.back().program.own = block.own;
        one.blocks.emplace_back(block.stream, number);
      }
      if (!one.blocks.empty()) plans.push_back(std::move(one));
    }
  }
  return plans;
}

void GpuDatapath::launch(const std::vector<ProgramLaunch>& launches, std::uint64_t first_burst) {
  prepare_streams(launches);
  const std::vector<KernelPlan> plans = plan(launches, first_burst);
  watches_ = std::vector<QueueWatch>(recovered_.begin(), recovered_.end());
  recoveries_.clear();
  if (config_.recovery_limit > 0) {
    for (GpuStream& stream : streams_) {
      SteeredPort& from = find(stream.rx_port());
      const auto renew_rx = [&from, queue = stream.rx_queue()] {
        from.renew(queue, mlx5::EmptiedBy::kKernel);
      };
      recoveries_.emplace_back(stream, from.queues, renew_rx, find(stream.tx_port()).queues,
                               config_.recovery_limit);
    }
  }
  // Rings, words and machine code are there by now: once a kernel runs, some calls of the GPU's
  // driver would wait for its end.
  proxy_.start();
  try {
    kernels_.launch(plans);
  } catch (...) {
    proxy_.stop();
    for (GpuStream& stream : streams_) stream.count_lost_between_blocks();
    throw;
  }
}

void GpuDatapath::prepare_streams(const std::vector<ProgramLaunch>& launches) {
  std::vector<std::vector<std::uint32_t>> depths(streams_.size());
  recovered_.assign(streams_.size(), 0);
  for (const ProgramLaunch& launch : launches) {
    const std::uint32_t uses =
        (launch.receives ? kRecoverReceive : 0) | (launch.sends ? kRecoverSend : 0);
    for (const ProgramBlock& block : launch.blocks) {
      depths[block.stream].push_back(block.ring_depth);
      if (config_.recovery_limit > 0) recovered_[block.stream] |= uses;
    }
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const StreamEnds ends = ends_of(i);
    StreamRestart restart(ends);
    if (restart.needed()) restart.recover();
    streams_[i].begin_statistics();
    streams_[i].reset_words(depths[i].size());
    arguments_.make_ways(i, ends, depths[i]);
  }
}

std::size_t GpuDatapath::gpu_index(std::size_t stream) const {
  return placement_.of_port(placement_.streams().at(stream).rx_port);
}

StreamEnds GpuDatapath::ends_of(std::size_t stream) {
  const GpuStream& of = streams_[stream];
  return {of, find(of.rx_port()), find(of.tx_port()), gpu_of_stream(stream)};
}

void GpuDatapath::change_flows(std::uint16_t port, const PortFlows& flows) {
  SteeredPort& changing = find(port);
  changing.queues.steer(flows);
  changing.flows = flows;
}

void GpuDatapath::stop() {
  if (!running()) return;
  tracer_.read_clocks();
  const std::optional<Error> failure = kernels_.stop();
  if (kernels_.all_ended()) end_run();
  if (failure) throw Error(*failure);
  if (kernels_.fault()) throw Error(*kernels_.fault());
}

void GpuDatapath::end_run() {
  kernels_.clear();
  proxy_.stop();
  for (StreamRecovery& recovery : recoveries_) recovery.blocks_ended();
  try {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      GpuStream& stream = streams_[i];
      stream.count_lost_between_blocks();
      // The next start resets the queue: what it holds now was lost with this run.
      const mlx5::TxQueue& tx = ends_of(i).tx();
      const std::uint64_t lost = tx.in_flight();
      if (lost != 0) stream.count_lost_sends(lost, tx.bytes_in_flight());
      stream.end_with(watches_[i].fault(lost != 0));
    }
  } catch (const Error&) {
    // A fault of the kernel can take the GPU's memory with it; the fault is what is told.
  }
}

PortStats GpuDatapath::port_stats(std::uint16_t port) {
  PortStats stats = port_stats_of(streams_, port);
  const std::lock_guard lock(counter_mutex_);
  stats.rx_missed = find(port).queues.out_of_buffer();
  return stats;
}

std::vector<StreamStats> GpuDatapath::stream_stats() {
  std::vector<StreamStats> stats;
  for (const GpuStream& stream : streams_) stats.push_back(stream.statistics());
  return stats;
}

void GpuDatapath::clear_stream_stats() {
  for (GpuStream& stream : streams_) stream.begin_statistics();
}

std::vector<std::string> GpuDatapath::take_events() {
  std::vector<std::string> events;
  if (running()) {
    for (StreamRecovery& one : recoveries_) one.step(monotonic_ns(), events);
  }
  for (GpuStream& stream : streams_) {
    if (std::string event = stream.take_event(); !event.empty()) events.push_back(std::move(event));
  }
  std::string fault = kernels_.take_fault(streams_);
  if (!fault.empty()) events.push_back(std::move(fault));
  look_in_time(events);
  return events;
}

void GpuDatapath::look_in_time(std::vector<std::string>& events) {
  const std::uint64_t now = monotonic_ns();
  if (now - looked_ns_ < kLookPeriodNs) return;
  looked_ns_ = now;
  read_counters();
  if (!running()) return;
  tracer_.read_clocks();
  try {
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const GpuStream& stream = streams_[i];
      if (stream.ended()) continue;
      const StreamEnds ends = ends_of(i);
      const QueueWatch::Finding found =
          watches_[i].look(stream.counters(), ends.tx(), ends.rx(), now);
      if (!found.text.empty()) events.push_back(stream.name() + ": " + found.text);
      if (!recoveries_.empty()) recoveries_[i].tell_overrun(found.overrun & recovered_[i]);
    }
  } catch (const Error&) {
    // A device that does not answer is told by what is asked of it next.
  }
}

void GpuDatapath::read_counters() {
  const std::lock_guard lock(counter_mutex_);
  try {
    for (SteeredPort& port : ports_) port.queues.out_of_buffer();
  } catch (const Error&) {
    // Statistics say so to whoever asks for them.
  }
}

std::string GpuDatapath::describe(std::uint16_t port) const {
  const std::string blocks = config_.blocks_per_stream == 1
                                 ? fmt::format("a block of {} a stream", config_.threads_per_block)
                                 : fmt::format("up to {} blocks a stream, one behind the other",
                                               config_.blocks_per_stream);
  const SteeredPort& of = find(port);
  const GpuInfo& gpu = homes_[placement_.of_port(of.position)].gpu.info();
  return fmt::format("kernels on {} ({}), {}, {}", gpu.name, gpu.driver, blocks,
                     of.queues.describe());
}

}  // namespace ringside
