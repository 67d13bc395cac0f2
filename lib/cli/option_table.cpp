// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

constexpr std::uint64_t kMaxQueues = 1024;  // of a port, in DPDK as distributions build it
constexpr std::uint64_t kMaxBurst = 512;
constexpr std::uint64_t kMinPacketLength = 86;  // Linux refuses an MTU below 68
constexpr std::uint64_t kMaxU16 = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMaxMbufs = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kSecondsOfDay = 86400;

constexpr std::array<std::string_view, 2> kDatapaths = {"gpu", "cpu"};

std::uint16_t u16(const OptionValue& value, std::uint64_t min, std::uint64_t max) {
  return static_cast<std::uint16_t>(value.number(min, max));
}

std::uint32_t u32(const OptionValue& value, std::uint64_t min, std::uint64_t max) {
  return static_cast<std::uint32_t>(value.number(min, max));
}

/// Numbers with a comma between.
std::vector<int> numbers(const OptionValue& value, std::uint64_t min, std::uint64_t max) {
  std::vector<int> all;
  std::string_view rest = value.text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const OptionValue one{value.option, rest.substr(0, comma)};
    all.push_back(static_cast<int>(one.number(min, max)));
    if (comma == std::string_view::npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

using Options = TestpmdOptions;
using Value = OptionValue;

RxStrides& strides_of(Options& options) {
  if (!options.runtime.strides) options.runtime.strides.emplace();
  return *options.runtime.strides;
}

void trace(Options& options, const Value& value) {
  constexpr std::string_view kEvents = ",events=";
  const std::size_t comma = value.text.rfind(kEvents);
  options.runtime.trace_file = value.text.substr(0, comma);
  if (options.runtime.trace_file.empty()) {
    throw usage_error(fmt::format("--{} needs a file", value.option), "give --trace=FILE");
  }
  if (comma == std::string_view::npos) return;
  const Value events{"trace=FILE,events", value.text.substr(comma + kEvents.size())};
  options.runtime.trace_events = u32(events, 16, 1U << 24);
}

constexpr OptionSpec kOptions[] = {
    {"help", 'h', "", "show the options and leave.",
     [](Options& o, const Value&) { o.help = true; }},
    {"interactive", 'i', "", "give a prompt for commands.",
     [](Options& o, const Value&) { o.interactive = true; }},
    {"auto-start", 'a', "", "start forwarding before the first prompt.",
     [](Options& o, const Value&) { o.auto_start = true; }},
    {"cmdline-file", 0, "FILE", "run the commands in FILE first; can be given several times.",
     [](Options& o, const Value& v) { o.command_files.emplace_back(v.text); }},
    {"tx-first", 0, "", "before forwarding, send a burst on each stream (not interactive).",
     [](Options& o, const Value&) { o.tx_first = true; }},
    {"stats-period", 0, "N", "show the ports' statistics every N seconds (not interactive).",
     [](Options& o, const Value& v) { o.stats_period = u32(v, 0, kSecondsOfDay); }},
    {"nb-cores", 0, "N",
     "cores that drive the PMD's queues; rings that a GPU drives have a thread block each "
     "(default 1).",
     [](Options& o, const Value& v) { o.runtime.nb_cores = u16(v, 1, kMaxQueues); }},
    {"forward-mode", 0, "MODE",
     "what is done with packets: invert, io, mac, macswap, rxonly, txonly (default io).",
     [](Options& o, const Value& v) { o.runtime.forward_mode = v.text; }},
    {"rxq", 0, "N", "RX queues of each port (default 1).",
     [](Options& o, const Value& v) { o.runtime.rx_queues = u16(v, 1, kMaxQueues); }},
    {"txq", 0, "N", "TX queues of each port (default 1).",
     [](Options& o, const Value& v) { o.runtime.tx_queues = u16(v, 1, kMaxQueues); }},
    {"rxd", 0, "N", "slots of each RX ring (default 1024).",
     [](Options& o, const Value& v) { o.runtime.rx_descriptors = u16(v, 1, kMaxU16); }},
    {"txd", 0, "N", "slots of each TX ring (default 1024).",
     [](Options& o, const Value& v) { o.runtime.tx_descriptors = u16(v, 1, kMaxU16); }},
    {"burst", 0, "N", "packets handled at a time, at most (default 32).",
     [](Options& o, const Value& v) { o.runtime.burst = u16(v, 1, kMaxBurst); }},
    {"mbuf-size", 0, "N", "bytes of a packet buffer, headroom included (default 2176).",
     [](Options& o, const Value& v) { o.runtime.mbuf_size = u16(v, 256, kMaxU16); }},
    {"rx-stride-num", 0, "N",
     "strides of a buffer, for RX rings of the GPU data path whose buffers packets share; --rxd "
     "counts strides then (default 64 with --rx-stride-size).",
     [](Options& o, const Value& v) { strides_of(o).count = u32(v, 8, 8192); }},
    {"rx-stride-size", 0, "N", "bytes of a stride, the same (default 256 with --rx-stride-num).",
     [](Options& o, const Value& v) { strides_of(o).bytes = u32(v, 64, 8192); }},
    {"total-num-mbufs", 0, "N", "packet buffers (default: half as many again as the queues need).",
     [](Options& o, const Value& v) { o.runtime.total_mbufs = u32(v, 1, kMaxMbufs); }},
    {"max-pkt-len", 0, "N", "bytes of the largest frame (default 1518).",
     [](Options& o, const Value& v) {
       o.runtime.max_packet_length = u32(v, kMinPacketLength, kMaxU16);
     }},
    {"mp-alloc", 0, "native|gpu|gpu-pinned",
     "where packets lie: host memory, GPU memory, or host memory that the GPU reaches over PCIe "
     "(default native).",
     [](Options& o, const Value& v) {
       o.runtime.mempool = static_cast<MempoolKind>(v.one_of(kMempoolKindNames));
     }},
    {"gpu-id", 0, "N[,N...]",
     "the GPU, as gpudev counts them, for --mp-alloc=gpu (default 0); of several each port has "
     "one, "
     "in turn.",
     [](Options& o, const Value& v) { o.runtime.gpu_ids = numbers(v, 0, 32767); }},
    {"datapath", 0, "gpu|cpu", "who drives the rings (default gpu with --mp-alloc=gpu, else cpu).",
     [](Options& o, const Value& v) {
       o.runtime.datapath = v.one_of(kDatapaths) == 0 ? Datapath::kGpu : Datapath::kCpu;
     }},
    {"gpu-rings", 0, "auto|device|pinned",
     "where rings lie, for --datapath=gpu: GPU memory, or host memory that the GPU reaches over "
     "PCIe (default auto: where the packets lie, if the NIC can reach them there).",
     [](Options& o, const Value& v) {
       o.runtime.rings = static_cast<GpuRings>(v.one_of(kGpuRingsNames));
     }},
    {"gpu-doorbells", 0, "auto|gpu|cpu",
     "who rings the NIC's doorbells, for --datapath=gpu: kernels, or a CPU thread for them "
     "(default "
     "auto: kernels where the GPU may write the NIC's registers).",
     [](Options& o, const Value& v) {
       o.runtime.doorbells = static_cast<GpuDoorbells>(v.one_of(kGpuDoorbellsNames));
     }},
    {"gpu-launch", 0, "MODE",
     "how packets reach the GPU: persistent, where a kernel drives the rings (default), or on the "
     "PMD's queues per-burst (a kernel launch a burst), graph (a CUDA graph a burst) or comm-list "
     "(a resident kernel, fed by gpudev's lists).",
     [](Options& o, const Value& v) {
       o.runtime.gpu_launch = static_cast<GpuLaunch>(v.one_of(kGpuLaunchNames));
     }},
    {"gpu-block-threads", 0, "N", "threads of a GPU block (default: what suits the GPU).",
     [](Options& o, const Value& v) { o.runtime.threads_per_block = u32(v, 1, 1024); }},
    {"trace", 0, "FILE[,events=N]",
     "trace io, mac, macswap, rxonly or txonly on the GPU data path: each stop writes the run's "
     "last events (of each stream N of a kind, default 65536) to FILE, which Perfetto loads, and "
     "prints where the time went.",
     trace},
    {"txpkts", 0, "N",
     "bytes of the frames that txonly and tx-first make, without FCS (default 64).",
     [](Options& o, const Value& v) { o.runtime.own_frame_length = u32(v, 1, kMaxU16); }},
    {"no-flush-rx", 0, "", "accepted; packets that wait at start are always forwarded.",
     [](Options&, const Value&) {}},
};

// EAL's options that people put on the wrong side of `--`. -a is both EAL's and testpmd's.
constexpr std::string_view kEalOptions[] = {
    "-l",
    "-n",
    "-c",
    "-b",
    "-d",
    "-m",
    "-r",
    "-s",
    "-v",
    "--allow",
    "--base-virtaddr",
    "--block",
    "--file-prefix",
    "--huge-dir",
    "--huge-unlink",
    "--in-memory",
    "--iova-mode",
    "--lcores",
    "--legacy-mem",
    "--log-level",
    "--main-lcore",
    "--no-hpet",
    "--no-huge",
    "--no-pci",
    "--no-shconf",
    "--no-telemetry",
    "--proc-type",
    "--single-file-segments",
    "--socket-limit",
    "--socket-mem",
    "--telemetry",
    "--vdev",
};

}  // namespace

std::uint64_t OptionValue::number(std::uint64_t min, std::uint64_t max) const {
  const auto value = parse_number(text, max);
  if (!value || *value < min) {
    throw usage_error(fmt::format("--{}: {} is not possible", option, in_quotes(text)),
                      fmt::format("give a number from {} to {}", min, max));
  }
  return *value;
}

std::size_t OptionValue::one_of(std::span<const std::string_view> choices) const {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) {
    throw usage_error(
        fmt::format("--{}: {} is not supported", option, in_quotes(text)),
        fmt::format("must be {} or {}", fmt::join(choices.first(choices.size() - 1), ", "),
                    choices.back()));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::span<const OptionSpec> option_table() {
  return kOptions;
}

bool is_eal_option(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  return std::any_of(std::begin(kEalOptions), std::end(kEalOptions),
                     [name](std::string_view known) {
                       const bool short_with_value = known.size() == 2 && !name.starts_with("--");
                       return short_with_value ? name.starts_with(known) : name == known;
                     });
}

}  // namespace ringside::cli
