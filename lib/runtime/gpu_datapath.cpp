// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_datapath.hpp"

#include <algorithm>

#include "lib/base/clock.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/program_args.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDrainNs = 500'000'000;
constexpr std::uint64_t kLookPeriodNs = 500'000'000;  // long before 2^32 drops

/// Ports by position.
std::vector<StreamQueues> joined_queues(const RuntimeConfig& config, std::size_t ports) {
  if (!config.streams.empty()) return config.streams;
  std::vector<StreamQueues> joined;
  for (std::size_t i = 0; i < ports; ++i) {
    const auto peer = static_cast<std::uint16_t>(peer_of(i, ports));
    for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
      joined.push_back({static_cast<std::uint16_t>(i), q, peer, q});
    }
  }
  return joined;
}

PortFlows all_queues(const RuntimeConfig& config) {
  PortFlows flows;
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) flows.unmatched.push_back(q);
  return flows;
}

}  // namespace

GpuDatapath::Port::Port(const EthPort& port, const Nic& nic, GpuDevice& gpu, GpuPool& pool,
                        const RuntimeConfig& config)
    : id(port.id()),
      mac(mac_of(port.id())),
      max_queues(GpuPort::limits(nic).max_queues),
      queues(nic, gpu, pool, config) {}

GpuDatapath::GpuDatapath(const RuntimeConfig& config, GpuDevice& gpu, GpuPool& pool,
                         const std::vector<std::unique_ptr<Nic>>& nics,
                         const std::vector<std::unique_ptr<EthPort>>& ports)
    : config_(config),
      gpu_(gpu),
      words_(gpu.allocate_shared(sizeof(StreamWords) * joined_queues(config, ports.size()).size(),
                                 alignof(StreamWords))) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports_.emplace_back(*ports[i], *nics[i], gpu, pool, config);
    ports_.back().flows = i < config.flows.size() ? config.flows[i] : all_queues(config);
  }
  auto* words = reinterpret_cast<StreamWords*>(words_.data());
  for (const StreamQueues& queues : joined_queues(config, ports.size())) {
    streams_.emplace_back(StreamQueues{ports_[queues.rx_port].id, queues.rx_queue,
                                       ports_[queues.tx_port].id, queues.tx_queue},
                          *words++);
  }
}

GpuDatapath::Port& GpuDatapath::find(std::uint16_t port) {
  return *std::ranges::find(ports_, port, &Port::id);
}

void GpuDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  launch(std::string{mode.name}, tx_first, {});
}

void GpuDatapath::start_program(const std::string& kernel, const std::vector<const void*>& own) {
  launch(kernel, 0, own);
}

void GpuDatapath::launch(const std::string& kernel, std::uint32_t tx_first,
                         const std::vector<const void*>& own) {
  LaunchConfig launch{.kernel = kernel,
                      .threads_per_block = config_.threads_per_block,
                      .streams = {},
                      .cpus = Eal::cpus()};
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (needs_recovery(streams_[i])) recover(streams_[i]);
    streams_[i].begin_statistics();
    streams_[i].reset_words();
    launch.streams.push_back(arguments(streams_[i], i, tx_first));
    if (i < own.size()) launch.streams.back().program.own = own[i];
  }
  watches_.assign(streams_.size(), QueueWatch{});
  kernel_ = gpu_.launch(launch);
  stop_ms_ = stop_ms(launch.streams);
  fault_.reset();
}

void GpuDatapath::change_flows(std::uint16_t port, const PortFlows& flows) {
  Port& changing = find(port);
  changing.queues.steer(flows);
  changing.flows = flows;
}

bool GpuDatapath::needs_recovery(const GpuStream& stream) {
  const mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
  const mlx5::RxQueue& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
  return stream.failed() || tx.in_flight() != 0 || tx.stopped() || rx.stopped();
}

void GpuDatapath::recover(GpuStream& stream) {
  mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
  mlx5::RxQueue& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
  check_recoverable(tx, rx);
  // The stream names its first error only: its other queue may have stopped while the block ended.
  const bool rx_stopped = !stream.failed_on_send() || rx.stopped();
  // Sends that did not end in time hold slots, which the receive queue's recovery takes back.
  if (stream.failed_on_send() || tx.stopped() || tx.in_flight() != 0) tx.recover();
  if (rx_stopped) rx.recover();
}

StreamArgs GpuDatapath::arguments(const GpuStream& stream, std::size_t index,
                                  std::uint32_t tx_first) {
  GpuPort& from = find(stream.rx_port()).queues;
  Port& to = find(stream.tx_port());
  const auto at = [index](std::size_t member) { return index * sizeof(StreamWords) + member; };
  return StreamArgs{
      .rx = from.rx(stream.rx_queue()).handle(),
      .tx = to.queues.tx_handle(stream.tx_queue()),
      .counters = words_.kernel_pointer<StreamCounters>(at(offsetof(StreamWords, counters))),
      .control = words_.kernel_pointer<StreamControl>(at(offsetof(StreamWords, control))),
      .status = words_.kernel_pointer<StreamStatus>(at(offsetof(StreamWords, status))),
      .burst = config_.burst,
      .first_burst = std::uint64_t{tx_first} * config_.burst,
      .drain_ns = kDrainNs,
      .program = program_args(config_, to.id, to.mac),
      .tx_buffers = to.queues.tx_buffers(stream.tx_queue()),
  };
}

void GpuDatapath::stop() {
  if (kernel_ == nullptr) return;
  kernel_->request_stop();
  try {
    kernel_->join(Deadline::after_ms(stop_ms_));
  } catch (const Error&) {
    if (!kernel_->running()) end_run();  // it has ended, by a fault
    throw;
  }
  end_run();
  if (fault_) throw Error(*fault_);
}

void GpuDatapath::end_run() {
  kernel_.reset();
  try {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      GpuStream& stream = streams_[i];
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

bool GpuDatapath::kernel_died() const {
  // In this order: what has ended writes no more words.
  return kernel_ != nullptr && !kernel_->running() &&
         !std::ranges::all_of(streams_, &GpuStream::ended);
}

std::string GpuDatapath::take_fault() {
  if (fault_ || !kernel_died()) return "";
  try {
    kernel_->join(Deadline::after_ms(0));
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
  for (GpuStream& stream : streams_) {
    if (std::string event = stream.take_event(); !event.empty()) events.push_back(std::move(event));
  }
  if (std::string fault = take_fault(); !fault.empty()) events.push_back(std::move(fault));
  look_in_time(events);
  return events;
}

void GpuDatapath::look_in_time(std::vector<std::string>& events) {
  const std::uint64_t now = monotonic_ns();
  if (now - looked_ns_ < kLookPeriodNs) return;
  looked_ns_ = now;
  read_counters();
  if (!running()) return;
  try {
    for (std::size_t i = 0; i < watches_.size(); ++i) {
      const GpuStream& stream = streams_[i];
      if (stream.ended()) continue;
      const mlx5::TxQueue& tx = find(stream.tx_port()).queues.tx(stream.tx_queue());
      const mlx5::RxQueue& rx = find(stream.rx_port()).queues.rx(stream.rx_queue());
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

std::string GpuDatapath::describe() const {
  return fmt::format("kernels on {} ({}), a block of {} a stream, {}", gpu_.info().name,
                     gpu_.info().driver, config_.threads_per_block,
                     ports_.front().queues.rings_text());
}

std::uint16_t GpuDatapath::max_queues(std::uint16_t port) const {
  return static_cast<std::uint16_t>(std::ranges::find(ports_, port, &Port::id)->max_queues);
}

}  // namespace ringside
