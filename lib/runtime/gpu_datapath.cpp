// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_datapath.hpp"

#include <algorithm>
#include <bit>

#include "kernels/traced.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/device/handed_packet.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/mlx5/capabilities.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/program_args.hpp"
#include "lib/runtime/trace_file.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDrainNs = 500'000'000;
constexpr std::uint64_t kLookPeriodNs = 500'000'000;  // long before 2^32 drops
constexpr std::size_t kRingAlignment = 128;
constexpr const char* kTraceable =
    "set fwd io, mac, macswap, rxonly or txonly, or leave --trace out";

/// A rate holds over times as long as a batch takes: batches are short.
void set_pace(StreamArgs& args, std::uint64_t bit_rate, std::uint32_t packet_length) {
  constexpr std::uint64_t kBatchesPerSecond = 10'000;
  constexpr std::uint64_t kBitTicksPerSecond = std::uint64_t{8'000'000'000} << kPaceTickBits;
  if (bit_rate == 0) return;
  args.pace = std::max<std::uint64_t>((kBitTicksPerSecond + bit_rate / 2) / bit_rate, 1);
  const std::uint64_t packets = bit_rate / kBatchesPerSecond / 8 / packet_length;
  args.burst = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(packets, 1, args.burst));
}

PortFlows all_queues(const RuntimeConfig& config) {
  PortFlows flows;
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) flows.unmatched.push_back(q);
  return flows;
}

}  // namespace

GpuDatapath::Port::Port(const EthPort& port, const Nic& nic, std::size_t position,
                        const std::vector<GpuHome>& homes, const GpuPlacement& placement,
                        DoorbellProxy& proxy, const RuntimeConfig& config)
    : id(port.id()),
      mac(mac_of(port.id())),
      max_queues(GpuPort::limits(nic).max_queues),
      inserts_vlan(mlx5::Capabilities::query(nic.context()).vlan_insertion),
      queues(nic, position, homes, placement, proxy, config) {}

GpuDatapath::GpuDatapath(const RuntimeConfig& config, std::vector<GpuHome> homes,
                         const std::vector<std::unique_ptr<Nic>>& nics,
                         const std::vector<std::unique_ptr<EthPort>>& ports)
    : config_(config),
      homes_(std::move(homes)),
      placement_(config, ports.size()),
      proxy_(homes_.front().gpu, Eal::cpus()),
      // Pinned memory is every GPU's.
      words_(homes_.front().gpu.allocate_shared(
          GpuStream::word_bytes(config.blocks_per_stream, placement_.streams().size()),
          alignof(StreamWords))) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports_.emplace_back(*ports[i], *nics[i], i, homes_, placement_, proxy_, config);
    ports_.back().flows = i < config.flows.size() ? config.flows[i] : all_queues(config);
  }
  auto* words = reinterpret_cast<StreamWords*>(words_.data());
  for (const StreamQueues& queues : placement_.streams()) {
    streams_.emplace_back(
        StreamQueues{ports_[queues.rx_port].id, queues.rx_queue, ports_[queues.tx_port].id,
                     queues.tx_queue, queues.tx_bit_rate},
        std::span(words, GpuStream::words_for(config.blocks_per_stream)));
    words += GpuStream::words_for(config.blocks_per_stream);
    if (config.trace_file.empty()) continue;
    const mlx5::ReceiveRing& rx = ports_[queues.rx_port].queues.rx(queues.rx_queue);
    const mlx5::TxQueue& tx = ports_[queues.tx_port].queues.tx(queues.tx_queue);
    tracers_.emplace_back(homes_[placement_.of_port(queues.rx_port)].gpu,
                          StampClock{nics[queues.rx_port]->context(), rx.stamp_to_ns()},
                          StampClock{nics[queues.tx_port]->context(), tx.stamp_to_ns()},
                          streams_.back().queues(), config.trace_events);
  }
}

GpuDatapath::Port& GpuDatapath::find(std::uint16_t port) {
  return *std::ranges::find(ports_, port, &Port::id);
}

void GpuDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  const ProgramLaunch one = launch_of(mode);
  // The kernel that traces receives once it has sent its own frames.
  const bool only_sends = !tracers_.empty() && !mode.receives;
  launch({one}, only_sends ? kEndlessBurst : std::uint64_t{tx_first} * config_.burst);
  traces_ = !tracers_.empty();
  read_clocks();
}

std::string GpuDatapath::kernel_of(const ForwardMode& mode) const {
  if (!config_.strides || !mode.receives) return std::string{mode.name};
  if (mode.sends) {
    throw usage_error(
        fmt::format("mode {} sends packets out of buffers that packets share", mode.name),
        "set fwd rxonly, or leave --rx-stride-num and --rx-stride-size out");
  }
  return fmt::format("strided_{}", mode.name);
}

void GpuDatapath::start_programs(const std::vector<ProgramLaunch>& launches) {
  if (!tracers_.empty()) {
    throw usage_error(fmt::format("kernel {} cannot be traced", launches.front().kernel),
                      kTraceable);
  }
  launch(launches, 0);
}

ProgramLaunch GpuDatapath::launch_of(const ForwardMode& mode) {
  ProgramLaunch one{kernel_of(mode), config_.threads_per_block, {}};
  for (std::size_t i = 0; i < streams_.size(); ++i) one.blocks.push_back({i, nullptr, 0});
  if (tracers_.empty()) return one;
  const std::uint32_t number = Traced::number_of(mode.name);
  if (number == Traced::kPrograms) {
    throw usage_error(fmt::format("mode {} cannot be traced", mode.name), kTraceable);
  }
  check_trace_file(config_.trace_file);
  traces_ = false;  // what the run before has left goes now
  one.kernel = Traced::kName;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    tracers_[i].begin(number, LatencySpan::of(mode.receives, mode.sends));
    one.blocks[i].own = tracers_[i].own();
  }
  return one;
}

void GpuDatapath::launch(const std::vector<ProgramLaunch>& launches, std::uint64_t first_burst) {
  prepare_streams(launches);
  std::vector<std::size_t> next_block(streams_.size());
  std::vector<std::pair<std::size_t, LaunchConfig>> configs;  // with their GPUs
  std::vector<Launched> started;
  for (const ProgramLaunch& launch : launches) {
    for (std::size_t gpu = 0; gpu < homes_.size(); ++gpu) {
      LaunchConfig config{
          .kernel = launch.kernel,
          .threads_per_block = homes_[gpu].gpu.block_threads(launch.threads_per_block),
          .streams = {},
          .cpus = Eal::cpus()};
      Launched to_start{};
      for (const ProgramBlock& block : launch.blocks) {
        if (gpu_index(block.stream) != gpu) continue;
        const std::size_t number = next_block[block.stream]++;
        config.streams.push_back(arguments(block.stream, number, first_burst));
        config.streams.back().program.own = block.own;
        to_start.blocks.emplace_back(block.stream, number);
      }
      if (config.streams.empty()) continue;
      to_start.stop_ms = stop_ms(config.streams);
      configs.emplace_back(gpu, std::move(config));
      started.push_back(std::move(to_start));
    }
  }
  watches_.assign(streams_.size(), QueueWatch{});
  recoveries_.clear();
  if (config_.recovery_limit > 0) {
    for (GpuStream& stream : streams_) {
      recoveries_.emplace_back(stream, find(stream.rx_port()).queues, find(stream.tx_port()).queues,
                               config_.recovery_limit);
    }
  }
  // Rings, words and machine code are there by now: once a kernel runs, some calls of the GPU's
  // driver would wait for its end.
  proxy_.start();
  try {
    for (std::size_t i = 0; i < configs.size(); ++i) {
      const LaunchConfig& config = configs[i].second;
      GpuDevice& gpu = homes_[configs[i].first].gpu;
      log().info("kernel {} on {}: {} blocks of {} threads", config.kernel, gpu.info().name,
                 config.streams.size(), config.threads_per_block);
      started[i].kernel = gpu.launch(config);
    }
  } catch (...) {
    started.clear();  // which stops them; what they have handed over nobody takes
    proxy_.stop();
    for (GpuStream& stream : streams_) stream.count_lost_between_blocks();
    throw;
  }
  kernels_ = std::move(started);
  fault_.reset();
}

void GpuDatapath::prepare_streams(const std::vector<ProgramLaunch>& launches) {
  std::vector<std::vector<std::uint32_t>> depths(streams_.size());
  for (const ProgramLaunch& launch : launches) {
    for (const ProgramBlock& block : launch.blocks) {
      depths[block.stream].push_back(block.ring_depth);
    }
  }
  rings_.clear();
  ways_.assign(streams_.size(), {});
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (needs_recovery(streams_[i])) recover(streams_[i]);
    streams_[i].begin_statistics();
    streams_[i].reset_words(depths[i].size());
    for (std::size_t block = 1; block < depths[i].size(); ++block) {
      ways_[i].push_back(make_way(i, depths[i][block]));
    }
  }
}

HandOver GpuDatapath::make_way(std::size_t stream, std::uint32_t depth) {
  const GpuStream& of = streams_[stream];
  const auto log_depth = static_cast<std::uint32_t>(std::countr_zero(depth));
  const GpuMemory& ring = rings_.emplace_back(homes_[gpu_index(stream)].gpu.allocate(
      semaphore_bytes<PacketItem>(log_depth), kRingAlignment));
  return {semaphore_in<PacketItem>(ring.kernel_pointer<void>(), log_depth),
          find(of.rx_port()).queues.rx(of.rx_queue()).handle().view_offset};
}

std::size_t GpuDatapath::gpu_index(std::size_t stream) const {
  return placement_.of_port(placement_.streams().at(stream).rx_port);
}

void GpuDatapath::change_flows(std::uint16_t port, const PortFlows& flows) {
  Port& changing = find(port);
  changing.queues.steer(flows);
  changing.flows = flows;
}

bool GpuDatapath::needs_recovery(const GpuStream& stream) {
  const mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
  const mlx5::ReceiveRing& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
  return stream.failed() || tx.in_flight() != 0 || tx.stopped() || rx.stopped() ||
         tx.completions_overrun() || rx.completions_overrun() || stream.holds_slots();
}

void GpuDatapath::recover(GpuStream& stream) {
  mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
  mlx5::ReceiveRing& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
  // The stream names its first error only: its other queue may have stopped while the block ended.
  const bool rx_stopped =
      !stream.failed_on_send() || rx.stopped() || rx.completions_overrun() || stream.holds_slots();
  // Sends that did not end in time hold slots, which the receive queue's recovery takes back.
  if (stream.failed_on_send() || tx.stopped() || tx.completions_overrun() || tx.in_flight() != 0) {
    tx.recover();
  }
  if (!rx_stopped) return;
  if (rx.completions_overrun()) {
    find(stream.rx_port()).renew(stream.rx_queue());
  } else {
    rx.recover();
  }
}

StreamArgs GpuDatapath::arguments(std::size_t stream, std::size_t block,
                                  std::uint64_t first_burst) {
  const GpuStream& of = streams_[stream];
  Port& to = find(of.tx_port());
  const std::size_t words =
      stream * GpuStream::words_for(config_.blocks_per_stream) + of.word_of(block);
  const auto at = [words](std::size_t member) { return words * sizeof(StreamWords) + member; };
  StreamArgs args{
      .rx = {},
      .tx = {},
      .from = {},
      .to = {},
      .counters = words_.kernel_pointer<StreamCounters>(at(offsetof(StreamWords, counters))),
      .control = words_.kernel_pointer<StreamControl>(at(offsetof(StreamWords, control))),
      .status = words_.kernel_pointer<StreamStatus>(at(offsetof(StreamWords, status))),
      .burst = config_.burst,
      .pace = 0,
      .first_burst = first_burst,
      .drain_ns = kDrainNs,
      .program = program_args(config_, to.id, to.mac),
      .tx_buffers = to.queues.tx_buffers(of.tx_queue()),
      .recovers = config_.recovery_limit > 0,
      .strides = {},
  };
  if (block == 0) {
    GpuPort& from = find(of.rx_port()).queues;
    args.rx = from.rx(of.rx_queue()).handle();
    args.strides = from.strides(of.rx_queue());
  } else {
    args.from = ways_[stream][block - 1];
  }
  if (block + 1 == of.blocks()) {
    args.tx = to.queues.tx_handle(of.tx_queue(), gpu_of_stream(stream));
    set_pace(args, of.tx_bit_rate(), max_packet_length(config_));
  } else {
    args.to = ways_[stream][block];
  }
  return args;
}

void GpuDatapath::stop() {
  if (kernels_.empty()) return;
  read_clocks();
  std::optional<Error> failure;
  for (const Launched& one : kernels_) {
    one.kernel->request_stop();
    try {
      one.kernel->join(Deadline::after_ms(one.stop_ms));
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  }
  const bool all_ended =
      std::ranges::none_of(kernels_, [](const Launched& one) { return one.kernel->running(); });
  if (all_ended) end_run();
  if (failure) throw Error(*failure);
  if (fault_) throw Error(*fault_);
}

void GpuDatapath::read_clocks() {
  if (!traces_) return;
  for (StreamTracer& tracer : tracers_) tracer.read_clocks();
}

void GpuDatapath::save_trace() {
  if (!traces_) return;
  std::vector<TracedStream> traced;
  for (const StreamTracer& tracer : tracers_) traced.push_back(tracer.end());
  latency_report_ = latency_table(traced);
  write_trace(config_.trace_file, traced);
  traces_ = running();
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
      const mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
      const std::uint64_t lost = tx.in_flight();
      if (lost != 0) stream.count_lost_sends(lost, tx.bytes_in_flight());
      stream.end_with(watches_[i].fault(lost != 0));
    }
  } catch (const Error&) {
    // A fault of the kernel can take the GPU's memory with it; the fault is what is told.
  }
}

PersistentKernel* GpuDatapath::dead_kernel() const {
  for (const Launched& one : kernels_) {
    // In this order: what has ended writes no more words.
    if (one.kernel->running()) continue;
    const bool all_said = std::ranges::all_of(one.blocks, [this](const auto& block) {
      return streams_[block.first].block_ended(block.second);
    });
    if (!all_said) return one.kernel.get();
  }
  return nullptr;
}

std::string GpuDatapath::take_fault() {
  if (fault_) return "";
  PersistentKernel* const dead = dead_kernel();
  if (dead == nullptr) return "";
  try {
    dead->join(Deadline::after_ms(0));
    fault_.emplace("the kernel ended though nothing stopped it", "stop, and start again");
  } catch (const Error& error) {
    fault_ = error;
  }
  return fault_->what();
}

PortStats GpuDatapath::port_stats(std::uint16_t port) {
  PortStats stats{};
  for (const GpuStream& stream : streams_) {
    const StreamCounters counters = stream.counters();
    if (stream.rx_port() == port) {
      stats.rx_packets += counters.rx_packets;
      stats.rx_bytes += counters.rx_bytes;
      stats.rx_errors += counters.rx_errors;
    }
    if (stream.tx_port() == port) {
      stats.tx_packets += counters.tx_packets - counters.tx_errors;
      stats.tx_bytes += counters.tx_bytes;
      stats.tx_errors += counters.tx_errors;
    }
  }
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
  recover_running(events);
  for (GpuStream& stream : streams_) {
    if (std::string event = stream.take_event(); !event.empty()) events.push_back(std::move(event));
  }
  if (std::string fault = take_fault(); !fault.empty()) events.push_back(std::move(fault));
  look_in_time(events);
  return events;
}

void GpuDatapath::recover_running(std::vector<std::string>& events) {
  if (!running()) return;
  for (StreamRecovery& recovery : recoveries_) recovery.step(monotonic_ns(), events);
}

void GpuDatapath::look_in_time(std::vector<std::string>& events) {
  const std::uint64_t now = monotonic_ns();
  if (now - looked_ns_ < kLookPeriodNs) return;
  looked_ns_ = now;
  read_counters();
  if (!running()) return;
  read_clocks();
  try {
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const GpuStream& stream = streams_[i];
      if (stream.ended()) continue;
      const mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
      const mlx5::ReceiveRing& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
      const std::string text = watches_[i].look(stream.counters(), tx, rx, now);
      if (!text.empty()) events.push_back(stream.name() + ": " + text);
    }
  } catch (const Error&) {
    // A device that does not answer is told by what is asked of it next.
  }
}

void GpuDatapath::read_counters() {
  const std::lock_guard lock(counter_mutex_);
  try {
    for (Port& port : ports_) port.queues.out_of_buffer();
  } catch (const Error&) {
    // Statistics say so to whoever asks for them.
  }
}

std::string GpuDatapath::describe(std::uint16_t port) const {
  const std::string blocks = config_.blocks_per_stream == 1
                                 ? fmt::format("a block of {} a stream", config_.threads_per_block)
                                 : fmt::format("up to {} blocks a stream, one behind the other",
                                               config_.blocks_per_stream);
  const auto found = std::ranges::find(ports_, port, &Port::id);
  const GpuInfo& gpu =
      homes_[placement_.of_port(static_cast<std::size_t>(found - ports_.begin()))].gpu.info();
  return fmt::format("kernels on {} ({}), {}, {}", gpu.name, gpu.driver, blocks,
                     found->queues.describe());
}

std::uint64_t GpuDatapath::tx_offloads(std::uint16_t port, std::uint64_t of_pmd) const {
  // The PMD offers it always: what the NIC does not insert, its CPU does, which touches no packet
  // of these queues.
  const bool inserts = std::ranges::find(ports_, port, &Port::id)->inserts_vlan;
  return inserts ? of_pmd : of_pmd & ~RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
}

std::uint16_t GpuDatapath::max_queues(std::uint16_t port) const {
  return static_cast<std::uint16_t>(std::ranges::find(ports_, port, &Port::id)->max_queues);
}

}  // namespace ringside
