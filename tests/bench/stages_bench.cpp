// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The cost of stages on CPU threads: a chain against a kernel that is written by hand for the same,
// in the whole loop of receive, process and send over a NIC that answers from memory; and lookups
// in a table.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/pipeline.hpp"
#include "lib/base/clock.hpp"
#include "lib/device/forward.hpp"
#include "lib/pipeline/host_chains.hpp"
#include "tests/bench/stages_chains.hpp"
#include "tests/bench/stages_workload.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLogDepth = 12;
constexpr std::uint32_t kPackets = 1U << kLogDepth;
constexpr std::size_t kMostStages = 32;
constexpr int kRuns = 40;

std::uint64_t thread_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

/// A program that sets its own exit word behind the last packet, so that its kernel returns.
StreamControl* g_control = nullptr;
template <class P>
struct UntilDone {
  static constexpr std::string_view kName = P::kName;
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  template <Block B>
  class State {
   public:
    State(B& block, const ProgramArgs& args) : state_(block, args) {}
    void begin_batch(B& block) { state_.begin_batch(block); }
    Verdict process(const Packet& packet, std::uint32_t i) {
      ++done_;
      return state_.process(packet, i);
    }
    void end_batch(B& block) {
      state_.end_batch(block);
      if (done_ == kPackets) g_control->exit = 1;
    }

   private:
    StateOf<P, B> state_;
    std::uint32_t done_ = 0;
  };
};

template <int Stages>
struct ByHand {
  static constexpr std::string_view kName = "by_hand";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  RS_FLATTEN static Verdict process(const Packet& packet, const ProgramArgs& args) {
    stages::PacketView view{packet.data(), packet.length(), 0, 0, {}};
    return by_hand<Stages>(view, *static_cast<const ByHandState*>(args.own)) ? Verdict::kSend
                                                                             : Verdict::kDrop;
  }
};

/// ns a packet.
template <class P>
double run_kernel(const void* own) {
  std::uint8_t frame[kFrameBytes];
  std::uint64_t best = ~std::uint64_t{0};
  for (int run = 0; run < kRuns; ++run) {
    test::FakeNic nic({.log_rx = kLogDepth,
                       .log_rx_cq = kLogDepth,
                       .log_tx = kLogDepth,
                       .log_tx_cq = kLogDepth,
                       .packets_are_sent = false});
    StreamArgs& stream = nic.stream();
    stream.program.own = own;
    stream.burst = 64;
    stream.drain_ns = 0;
    g_control = stream.control;
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      write_frame(frame, i);
      nic.receive(frame);
    }
    HostBlockTeam team(1);
    HostBlock block(team, 0);
    const std::uint64_t begin = thread_cpu_ns();
    forward<UntilDone<P>>(block, stream);
    best = std::min(best, thread_cpu_ns() - begin);
    if (nic.counters().tx_packets != kPackets) throw std::runtime_error("packets were dropped");
  }
  return static_cast<double>(best) / kPackets;
}

/// As a file's chain is run. `function`: Chain::function.
template <int Stages>
double chain(std::uint64_t function) {
  BenchChain chain = chain_of(Stages);
  reinterpret_cast<stages::Chain*>(chain.words.data())->function = function;
  std::vector<stages::StageCounters> counters(kMostStages), here(kMostStages);
  PipelineControl control{reinterpret_cast<const stages::Chain*>(chain.words.data())};
  PipelineStatus status{};
  stages::SampleRingState ring{};
  std::uint64_t words[1] = {};
  const PipelineArgs args{&control, &status, counters.data(), here.data(), words, &ring, {}, 0};
  return run_kernel<Pipeline>(&args);
}

template <int Stages>
double hand() {
  const BenchChain chain = chain_of(8);
  std::uint64_t packets = 0, bytes = 0;
  const auto* const at = reinterpret_cast<const std::uint8_t*>(chain.words.data());
  const ByHandState own{
      &packets, &bytes,
      reinterpret_cast<const stages::LoadBalanceParameters*>(at + chain.backends_at), true};
  return run_kernel<ByHand<Stages>>(&own);
}

template <int Stages>
void compare(const pipeline::HostChains& functions) {
  const double by_hand = hand<Stages>();
  const double compiled = chain<Stages>(functions.function(shape_of(Stages), false));
  const double stored = chain<Stages>(0);
  fmt::print(
      "{} stages: {:.1f} ns a packet by hand, {:.1f} compiled, {:.2f} times, {:.1f} from "
      "memory, {:.2f} times\n",
      Stages, by_hand, compiled, compiled / by_hand, stored, stored / by_hand);
}

/// How long it takes is what a pipeline's first start takes longer.
void compile(pipeline::HostChains& functions, int stages) {
  const std::uint64_t begin = monotonic_ns();
  functions.add({shape_of(stages)}, false);
  fmt::print("{} stages: compiled in {:.2f} s\n", stages,
             static_cast<double>(monotonic_ns() - begin) * 1e-9);
}

void look_up(std::uint32_t entries) {
  const std::vector<std::uint64_t> words = table_of(entries);
  const auto& table = *reinterpret_cast<const stages::TableParameters*>(words.data());
  constexpr std::uint32_t kLookups = 1U << 20;
  std::uint64_t best = ~std::uint64_t{0};
  for (int run = 0; run < 5; ++run) {
    std::uint32_t found = 0;
    std::uint32_t random = 1;
    const std::uint64_t begin = thread_cpu_ns();
    for (std::uint32_t i = 0; i < kLookups; ++i) {
      random = random * 1664525 + 1013904223;  // all over the table
      const std::uint32_t number = random % entries;
      const stages::FiveTuple key{{0, 0x0a000000U | number >> 16, 0, 0x0a000001,
                                   stages::tuple_tail(number & 0xffff, 53, 17, 4)}};
      found += stages::find_entry(table, key) != nullptr ? 1 : 0;
    }
    best = std::min(best, thread_cpu_ns() - begin);
    if (found != kLookups) throw std::runtime_error("an entry was not found");
  }
  fmt::print("table of {}: {:.1f} M lookups a second, {:.1f} MB\n", entries,
             kLookups * 1e3 / static_cast<double>(best), static_cast<double>(words.size()) * 8e-6);
}

}  // namespace
}  // namespace ringside::bench

int main() {
  using namespace ringside::bench;
  ringside::pipeline::HostChains functions;
  for (const int stages : {1, 4, 8}) compile(functions, stages);
  compare<1>(functions);
  compare<4>(functions);
  compare<8>(functions);
  look_up(1000);
  look_up(1'000'000);
}
