// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/cli/reports.hpp"

namespace ringside::cli {
namespace {

constexpr std::string_view kPortBorder = "----------------------";
constexpr std::string_view kSumBorder = "+++++++++++++++";
constexpr std::string_view kStreamBorder = "-------";

std::size_t cores_used(const RuntimeConfig& config, std::size_t streams) {
  return std::min<std::size_t>(config.nb_cores, streams);
}

int socket_of(std::span<const PortInfo> ports, std::uint16_t port) {
  for (const PortInfo& info : ports) {
    if (info.port == port) return info.socket;
  }
  return 0;
}

/// Who forwards: a thread block a stream, kernels that cores launch, or the cores.
std::string worker(const RuntimeConfig& config, std::size_t streams) {
  if (config.datapath == Datapath::kGpu) {
    return fmt::format("GPU{} {} ({} {} a block) forward{}", config.gpu_ids.size() == 1 ? "" : "s",
                       fmt::join(config.gpu_ids, ","), config.threads_per_block,
                       config.threads_per_block == 1 ? "thread" : "threads",
                       config.gpu_ids.size() == 1 ? "s" : "");
  }
  const std::size_t cores = cores_used(config, streams);
  if (config.datapath == Datapath::kLaunch) {
    return fmt::format("GPU {} ({}, by {} core{}) forwards", config.gpu_ids.front(),
                       kGpuLaunchNames.at(static_cast<std::size_t>(config.gpu_launch)), cores,
                       cores == 1 ? "" : "s");
  }
  return cores == 1 ? "1 core forwards" : fmt::format("{} cores forward", cores);
}

using Causes = std::map<std::string, std::uint64_t>;

std::string cause_line(const Causes& causes) {
  std::string text;
  for (const auto& [cause, packets] : causes) {
    if (packets > 0) text += fmt::format("{} {} {}", text.empty() ? "" : ",", cause, packets);
  }
  return text.empty() ? text : fmt::format("  Drop causes:{}\n", text);
}

/// What a port's streams add to its own counters.
struct TxDrops {
  std::uint64_t packets = 0;
  std::uint64_t send_errors = 0;  ///< among the packets, and among the port's errors too
  Causes causes;

  void add(const StreamStats& stream) {
    packets += stream.dropped;
    send_errors += stream.tx_errors;
    for (const auto& [cause, count] : stream.drop_causes) causes[cause] += count;
  }
};

std::string counters(std::uint64_t received, std::uint64_t missed, std::uint64_t sent,
                     std::uint64_t dropped, std::string_view between) {
  return fmt::format(
      "  RX-packets: {:<14} RX-dropped: {:<14}RX-total: {}\n"
      "{}"
      "  TX-packets: {:<14} TX-dropped: {:<14}TX-total: {}\n",
      received, missed, received + missed, between, sent, dropped, sent + dropped);
}

std::string stream_block(const StreamStats& stream) {
  return fmt::format(
      "\n  {0} Forward Stats for RX Port={1:2}/Queue={2:2} -> TX Port={3:2}/Queue={4:2} {0}\n"
      "  RX-packets: {5:<14} TX-packets: {6:<14} TX-dropped: {7:<14}\n",
      kStreamBorder, stream.rx_port, stream.rx_queue, stream.tx_port, stream.tx_queue,
      stream.rx_packets, stream.tx_packets, stream.dropped);
}

bool moved(const StreamStats& stream) {
  return stream.rx_packets != 0 || stream.tx_packets != 0 || stream.dropped != 0;
}

}  // namespace

std::string forward_config_report(std::string_view mode, const RuntimeConfig& config,
                                  std::span<const PortInfo> ports,
                                  std::span<const StreamStats> streams) {
  std::string text = fmt::format(
      "{} packet forwarding - ports={} - cores={} - streams={} - NUMA support enabled, "
      "MP allocation mode: {}\n",
      mode, ports.size(), cores_used(config, streams.size()), streams.size(),
      kMempoolKindNames.at(static_cast<std::size_t>(config.mempool)));
  if (streams.empty()) return text + '\n';
  text += fmt::format("{} packets on {} streams:", worker(config, streams.size()), streams.size());
  for (const StreamStats& stream : streams) {
    text += fmt::format("\n  RX P={}/Q={} (socket {}) -> TX P={}/Q={} (socket {}) ", stream.rx_port,
                        stream.rx_queue, socket_of(ports, stream.rx_port), stream.tx_port,
                        stream.tx_queue, socket_of(ports, stream.tx_port));
    text += fmt::format("peer=02:00:00:00:00:{:02X}", stream.tx_port);
  }
  return text + "\n\n";
}

std::string rxtx_config_report(std::string_view mode, const RuntimeConfig& config,
                               std::span<const PortInfo> ports, std::size_t streams) {
  std::string text = fmt::format(
      "  {} packet forwarding packets/burst={}\n"
      "  nb forwarding cores={} - nb forwarding ports={}\n",
      mode, config.burst, cores_used(config, streams), ports.size());
  for (const PortInfo& info : ports) {
    text += fmt::format(
        "  port {}: RX queue number: {} Tx queue number: {}\n"
        "    RX queue: 0\n"
        "      RX desc={}\n"
        "    TX queue: 0\n"
        "      TX desc={}\n"
        "    Rings: {}\n",
        info.port, info.rx_queues, info.tx_queues, info.rx_descriptors, info.tx_descriptors,
        info.rings);
  }
  return text;
}

std::string forward_stats_report(std::span<const PortRun> ports,
                                 std::span<const StreamStats> streams) {
  std::string text;
  std::map<std::uint16_t, TxDrops> drops_of;
  TxDrops all_drops;
  for (const StreamStats& stream : streams) {
    if (streams.size() > ports.size() && moved(stream)) text += stream_block(stream);
    drops_of[stream.tx_port].add(stream);
    all_drops.add(stream);
  }

  std::uint64_t received = 0, missed = 0, no_buffer = 0, sent = 0, dropped = 0;
  for (const auto& [port, stats] : ports) {
    const TxDrops& drops = drops_of[port];
    const std::uint64_t tx_dropped =
        drops.packets + stats.tx_errors - std::min(stats.tx_errors, drops.send_errors);
    const std::string rx_errors = stats.rx_errors + stats.rx_nombuf == 0
                                      ? std::string{}
                                      : fmt::format("  RX-error: {}\n  RX-nombufs: {:<14}\n",
                                                    stats.rx_errors, stats.rx_nombuf);
    text += fmt::format("\n  {0} Forward statistics for port {1:<2} {0}\n", kPortBorder, port);
    text += counters(stats.rx_packets, stats.rx_missed, stats.tx_packets, tx_dropped, rx_errors);
    text += cause_line(drops.causes);
    text += fmt::format("  {0}--------------------------------{0}\n", kPortBorder);
    received += stats.rx_packets;
    missed += stats.rx_missed;
    no_buffer += stats.rx_nombuf;
    sent += stats.tx_packets;
    dropped += tx_dropped;
  }

  text += fmt::format("\n  {0} Accumulated forward statistics for all ports{0}\n", kSumBorder);
  text += counters(received, missed, sent, dropped, {});
  if (no_buffer > 0) text += fmt::format("  RX-nombufs: {:<14}\n", no_buffer);
  text += cause_line(all_drops.causes);
  for (const StreamStats& stream : streams) {
    if (!stream.error.empty()) {
      text += fmt::format("  Stopped: port {} queue {}: {}\n", stream.rx_port, stream.rx_queue,
                          stream.error);
    }
  }
  return text + fmt::format("  {0}++++++++++++++++++++++++++++++++++++++++++++++{0}\n", kSumBorder);
}

}  // namespace ringside::cli
