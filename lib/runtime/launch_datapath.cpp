// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/launch_datapath.hpp"

#include <rte_ethdev.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/runtime/program_args.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kDrainMs = 500;
constexpr std::uint64_t kRetryMs = 50;
constexpr std::uint64_t kSendFirstMs = 2000;
constexpr std::uint64_t kEndless = ~std::uint64_t{0};

BurstLaunch burst_launch(GpuLaunch launch) {
  if (launch == GpuLaunch::kGraph) return BurstLaunch::kGraph;
  return launch == GpuLaunch::kCommList ? BurstLaunch::kResident : BurstLaunch::kKernel;
}

/// The queues that a stream joins.
class PmdQueues : public PacketQueues {
 public:
  explicit PmdQueues(PmdStream& stream) : stream_(stream) {}

  std::uint16_t receive(std::span<rte_mbuf*> mbufs) noexcept override {
    const std::uint16_t received = rte_eth_rx_burst(stream_.rx_port, stream_.rx_queue, mbufs.data(),
                                                    static_cast<std::uint16_t>(mbufs.size()));
    stream_.counters.rx_packets += received;
    stream_.counters.rx_bytes += bytes_of(mbufs.first(received));
    return received;
  }

  std::uint16_t send(std::span<rte_mbuf*> mbufs) noexcept override {
    return rte_eth_tx_burst(stream_.tx_port, stream_.tx_queue, mbufs.data(),
                            static_cast<std::uint16_t>(mbufs.size()));
  }

 private:
  PmdStream& stream_;
};

/// Empty packets, for a kernel to write frames into.
class EmptyPackets final : public PmdQueues {
 public:
  EmptyPackets(PmdStream& stream, rte_mempool* pool, std::uint32_t length, std::uint64_t count)
      : PmdQueues(stream), pool_(pool), length_(length), left_(count) {}

  std::uint16_t receive(std::span<rte_mbuf*> mbufs) noexcept override {
    const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(mbufs.size(), left_));
    if (rte_pktmbuf_alloc_bulk(pool_, mbufs.data(), count) != 0) return 0;
    for (rte_mbuf* mbuf : mbufs.first(count)) {
      mbuf->data_len = static_cast<std::uint16_t>(length_);
      mbuf->pkt_len = length_;
    }
    if (left_ != kEndless) left_ -= count;
    return count;
  }
  bool over() const noexcept { return left_ == 0; }

 private:
  rte_mempool* pool_;
  const std::uint32_t length_;
  std::uint64_t left_;
};

}  // namespace

LaunchDatapath::LaunchDatapath(const RuntimeConfig& config, GpuDevice& gpu, GpuPool& pool,
                               const std::vector<std::unique_ptr<EthPort>>& ports)
    : PmdDatapath(config, ports), gpu_(gpu), pool_(pool) {
  for (const PmdStream& stream : streams_) {
    programs_.push_back(program_args(config, stream.tx_port, mac_of(stream.tx_port)));
  }
}

std::unique_ptr<BurstLanes> LaunchDatapath::make_lanes(std::string_view kernel,
                                                       BurstLaunch launch) {
  return std::make_unique<BurstLanes>(
      gpu_, BurstLanesConfig{.launch = launch,
                             .kernel = std::string{kernel},
                             .threads_per_block = config_.threads_per_block,
                             .burst = config_.burst,
                             .view_offset = pool_.memory().view_offset(),
                             .programs = programs_,
                             .cpus = Eal::cpus()});
}

void LaunchDatapath::start(const ForwardMode& mode, std::uint32_t tx_first) {
  clear_stream_stats();
  flows_.clear();
  queues_.clear();
  if (tx_first != 0) send_first(std::uint64_t{tx_first} * config_.burst);
  lanes_ = make_lanes(mode.name, burst_launch(config_.gpu_launch));
  fault_told_ = false;
  for (PmdStream& stream : streams_) {
    if (mode.receives) {
      queues_.push_back(std::make_unique<PmdQueues>(stream));
    } else {
      queues_.push_back(std::make_unique<EmptyPackets>(stream, pool_.mempool(),
                                                       config_.own_frame_length, kEndless));
    }
    flows_.emplace_back((*lanes_)[stream.index], *queues_.back(), stream.counters, config_.burst);
  }
  run_lcores();
}

/// From the control thread: lcores do not run yet, so the send queues are its.
void LaunchDatapath::send_first(std::uint64_t frames) {
  auto lanes = make_lanes("txonly", BurstLaunch::kKernel);
  (*lanes)[0].enter_thread();
  std::deque<EmptyPackets> sources;
  std::deque<BurstFlow> flows;
  for (PmdStream& stream : streams_) {
    sources.emplace_back(stream, pool_.mempool(), config_.own_frame_length, frames);
    flows.emplace_back((*lanes)[stream.index], sources.back(), stream.counters, config_.burst);
  }
  const Deadline deadline = Deadline::after_ms(kSendFirstMs);
  const auto is_over = [&] {
    return std::ranges::all_of(sources, &EmptyPackets::over) &&
           std::ranges::all_of(flows, &BurstFlow::empty);
  };
  while (!is_over() && !deadline.passed()) {
    for (BurstFlow& flow : flows) flow.serve();
  }
  if (is_over()) return;
  const std::string fault = lanes->fault();
  for (BurstFlow& flow : flows) flow.drain(Deadline::after_ms(0));
  lanes.reset();  // after this nothing touches packets any more
  for (BurstFlow& flow : flows) flow.give_up();
  throw Error(fault.empty()
                  ? fmt::format("start tx_first: {} frames a stream were not sent in {} s", frames,
                                kSendFirstMs / 1000)
                  : fault,
              fault.empty() ? "see whether the NIC still completes sends" : "");
}

void LaunchDatapath::finish(PmdStream& stream) {
  flows_[stream.index].drain(Deadline::after_ms(kDrainMs));
}

std::uint64_t LaunchDatapath::finish_ms() const noexcept {
  return kDrainMs;
}

std::string LaunchDatapath::find_fault() const {
  if (lanes_ == nullptr) return {};
  if (std::string fault = lanes_->fault(); !fault.empty()) return fault;
  const bool refused = std::ranges::any_of(flows_, &BurstFlow::refused);
  return refused ? fmt::format("{} does not take bursts any more", gpu_.info().name) : "";
}

void LaunchDatapath::stop() {
  if (lanes_ == nullptr) return;
  halt();
  if (const std::string fault = find_fault(); !fault.empty()) {
    lanes_.reset();  // after this nothing touches packets any more
    for (BurstFlow& flow : flows_) flow.give_up();
    flows_.clear();
    throw Error(fault, "");
  }
  enter();  // lcores do not run any more, so the lanes are this thread's
  for (const PmdStream& stream : streams_) {
    BurstFlow& flow = flows_[stream.index];
    // What the lcores left behind may be done by now, at a later try to stop.
    flow.drain(Deadline::after_ms(kRetryMs));
    if (flow.empty()) continue;
    throw Error(fmt::format("{} has not finished a burst of port {} queue {} in {} ms",
                            gpu_.info().name, stream.rx_port, stream.rx_queue, kDrainMs),
                "its packets cannot be freed: end the program");
  }
  flows_.clear();
  lanes_.reset();
}

std::vector<std::string> LaunchDatapath::take_events() {
  if (fault_told_) return {};
  std::string fault = find_fault();
  if (fault.empty()) return {};
  fault_told_ = true;
  return {std::move(fault)};
}

std::string LaunchDatapath::describe(std::uint16_t) const {
  const char* launches = config_.gpu_launch == GpuLaunch::kPerBurst ? "a kernel launch a burst"
                         : config_.gpu_launch == GpuLaunch::kGraph
                             ? "a graph launch a burst"
                             : "a resident kernel fed by communication lists";
  return fmt::format("the PMD's queues on {} lcore{}, {} on {} ({}), a block of {}, buffers in {}",
                     lcores(), lcores() == 1 ? "" : "s", launches, gpu_.info().name,
                     gpu_.info().driver, config_.threads_per_block,
                     config_.mempool == MempoolKind::kGpu ? "GPU memory" : "pinned host memory");
}

}  // namespace ringside
