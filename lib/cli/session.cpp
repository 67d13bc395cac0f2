// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/session.hpp"

#include <fmt/format.h>

#include "lib/base/error.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

/// Counters that another party cleared in between count from zero.
std::uint64_t grown(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

PortStats difference(const PortStats& now, const PortStats& before) {
  return {.rx_packets = grown(now.rx_packets, before.rx_packets),
          .rx_bytes = grown(now.rx_bytes, before.rx_bytes),
          .rx_missed = grown(now.rx_missed, before.rx_missed),
          .rx_errors = grown(now.rx_errors, before.rx_errors),
          .rx_nombuf = grown(now.rx_nombuf, before.rx_nombuf),
          .tx_packets = grown(now.tx_packets, before.tx_packets),
          .tx_bytes = grown(now.tx_bytes, before.tx_bytes),
          .tx_errors = grown(now.tx_errors, before.tx_errors)};
}

}  // namespace

Session::Session(Runtime& runtime, Output& output, Clock clock)
    : runtime_(runtime), output_(output), clock_(clock), mode_(runtime.config().forward_mode) {
  begin_run();
}

void Session::set_mode(const std::string& mode) {
  runtime_.set_forward_mode(mode);
  mode_ = mode;
}

std::vector<std::uint16_t> Session::select_ports(std::string_view word) {
  std::vector<std::uint16_t> known = runtime_.ports();
  if (word == "all") return known;
  const auto number = parse_number(word, UINT16_MAX);
  for (const std::uint16_t port : known) {
    if (number && port == *number) return {port};
  }
  output_.print("Invalid port {}\nPorts that there are: {}\n", word, fmt::join(known, " "));
  return {};
}

std::vector<PortInfo> Session::port_infos() {
  std::vector<PortInfo> infos;
  for (const std::uint16_t port : runtime_.ports()) infos.push_back(runtime_.port_info(port));
  return infos;
}

/// The first look at a port's rates counts from here, not from the start of the program.
void Session::begin_run() {
  for (const std::uint16_t port : runtime_.ports()) {
    const PortStats stats = runtime_.port_stats(port);
    run_begin_[port] = stats;
    RateMeter& meter = rates_[port];
    if (!meter.measured()) meter = RateMeter(stats, clock_());
  }
}

bool Session::start(std::uint32_t tx_first) {
  if (runtime_.forwarding()) {
    output_.write("Packet forwarding already started\n");
    return false;
  }
  if (!stopped_ports_.empty()) {
    output_.write("Not all ports were started\n");
    return false;
  }
  begin_run();
  try {
    runtime_.start_forwarding(tx_first);
  } catch (const Error& error) {
    output_.print("{}\n", error.what());
    return false;
  }
  const std::vector<PortInfo> ports = port_infos();
  const std::vector<StreamStats> streams = runtime_.stream_stats();
  output_.write(forward_config_report(mode_, runtime_.config(), ports, streams));
  output_.write(rxtx_config_report(mode_, runtime_.config(), ports, streams.size()));
  return true;
}

bool Session::stop() {
  if (!runtime_.forwarding()) {
    output_.write("Packet forwarding not started\n");
    return false;
  }
  output_.write("Telling cores to stop...");
  output_.flush();
  bool stopped = true;
  try {
    runtime_.stop_forwarding();
    output_.write("\nWaiting for lcores to finish...\n");
  } catch (const Error& error) {
    output_.print("\n{}\n", error.what());
    stopped = false;
  }
  show_forward_stats();
  output_.write(runtime_.take_latency_report());
  if (stopped) output_.write("\nDone.\n");
  return stopped;
}

void Session::show_port_stats(std::uint16_t port) {
  const PortStats stats = runtime_.port_stats(port);
  output_.write(port_stats_report(port, stats, rates_[port].measure(stats, clock_())));
}

void Session::clear_port_stats(std::uint16_t port) {
  runtime_.clear_port_stats(port);
  const PortStats stats = runtime_.port_stats(port);
  run_begin_[port] = stats;
  rates_[port] = RateMeter(stats, clock_());
}

void Session::show_forward_stats() {
  std::vector<PortRun> ports;
  for (const std::uint16_t port : runtime_.ports()) {
    ports.push_back({port, difference(runtime_.port_stats(port), run_begin_[port])});
  }
  output_.write(forward_stats_report(ports, runtime_.stream_stats()));
}

void Session::clear_forward_stats() {
  runtime_.clear_stream_stats();
  for (const std::uint16_t port : runtime_.ports()) run_begin_[port] = runtime_.port_stats(port);
}

void Session::mark_port_stopped(std::uint16_t port, bool stopped) {
  if (stopped) {
    stopped_ports_.insert(port);
  } else {
    stopped_ports_.erase(port);
  }
}

std::string Session::take_event_text() {
  std::string text;
  for (const std::string& event : runtime_.take_events()) text += event + '\n';
  return text;
}

void Session::print_events() {
  output_.write(take_event_text());
}

}  // namespace ringside::cli
