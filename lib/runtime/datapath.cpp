// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/datapath.hpp"

#include "lib/base/error.hpp"

namespace ringside {
namespace {

template <class Operation>
PortStats each(const PortStats& a, const PortStats& b, Operation operation) noexcept {
  return PortStats{.rx_packets = operation(a.rx_packets, b.rx_packets),
                   .rx_bytes = operation(a.rx_bytes, b.rx_bytes),
                   .rx_missed = operation(a.rx_missed, b.rx_missed),
                   .rx_errors = operation(a.rx_errors, b.rx_errors),
                   .rx_nombuf = operation(a.rx_nombuf, b.rx_nombuf),
                   .tx_packets = operation(a.tx_packets, b.tx_packets),
                   .tx_bytes = operation(a.tx_bytes, b.tx_bytes),
                   .tx_errors = operation(a.tx_errors, b.tx_errors)};
}

[[noreturn]] void refuse(const char* what) {
  throw usage_error(fmt::format("{} on this data path", what), "use the GPU data path");
}

}  // namespace

void DatapathEngine::start_programs(const std::vector<ProgramLaunch>&) {
  refuse("no such programs");
}
void DatapathEngine::change_flows(std::uint16_t, const PortFlows&) {
  refuse("no flows");
}
std::vector<FlowHits> DatapathEngine::flow_counts(std::uint16_t) {
  refuse("no flows");
}

GpuDevice& DatapathEngine::gpu_of_stream(std::size_t) {
  refuse("no GPU has a stream");
}

std::size_t peer_of(std::size_t i, std::size_t ports) noexcept {
  const std::size_t peer = i ^ 1U;
  return peer < ports ? peer : i;
}

PortStats operator+(const PortStats& a, const PortStats& b) noexcept {
  return each(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

PortStats operator-(const PortStats& a, const PortStats& b) noexcept {
  return each(a, b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
}

}  // namespace ringside
