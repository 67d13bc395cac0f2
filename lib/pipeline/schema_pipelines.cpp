// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/container_types.hpp"
#include "lib/pipeline/scalar_types.hpp"
#include "lib/pipeline/schema.hpp"

namespace ringside::pipeline {

/// For alternative().
SinkParams& variant_of(Sink& sink) {
  return sink.params;
}

namespace {

constexpr std::string_view kThreads =
    "CUDA threads of a block, a multiple of 32; auto: what suits the GPU";

TypeOf<Sink> sink_type() {
  const auto tx = object<TxSink>({
      lead(required(key("queues", &TxSink::queues,
                        list(queue_reference(ReferenceKind::kTxQueue), 1, 1000),
                        "send queues, one for each source of the pipeline, in order"))),
  });
  const auto pcap = object<PcapSink>({
      lead(required(key("file", &PcapSink::file, free_text(), "file to write"))),
      key("snaplen", &PcapSink::snaplen, number<std::uint32_t>({.min = 14, .max = 65535}),
          "bytes of a packet that are kept"),
  });
  const auto cpu = object<CpuSink>({
      lead(required(key("tap", &CpuSink::tap,
                        text("^[A-Za-z0-9_.-]{1,15}$", "an interface name of up to 15 characters"),
                        "TAP device that gets the packets"))),
      key("core", &CpuSink::core, optional("any", number<std::uint16_t>({.max = 1023})),
          "CPU core of its thread"),
      key("address", &CpuSink::address, optional("none", ipv4_prefix()),
          "IPv4 address of the TAP device"),
      if_set(key("interface", &CpuSink::interface, reference(ReferenceKind::kInterface),
                 "what programs send by the TAP device leaves by it, and its MAC address and MTU "
                 "are the device's")),
  });
  return tagged<Sink>(
      "sink",
      {
          alternative<Sink>("tx", tx, "sends the packets"),
          alternative<Sink>("drop", object<DropSink>({}), "drops them"),
          alternative<Sink>("pcap", pcap, "writes them to a capture file"),
          alternative<Sink>("cpu", cpu, "hands them to the kernel of the host"),
      },
      {required(key("name", &Sink::name, name(NameScope::kTargets), "name of the sink"))});
}

}  // namespace

TypeOf<std::vector<Pipeline>> pipelines_type() {
  const auto threads = optional("auto", number<std::uint32_t>({.min = 32, .max = 1024}));
  const auto kernel = object<Kernel>({
      required(key("name", &Kernel::name, name(), "name in reports")),
      key("threads_per_block", &Kernel::threads_per_block, threads, kThreads),
      key("depth", &Kernel::depth,
          number<std::uint32_t>({.min = 64, .max = 65536, .power_of_two = true}),
          "packets that may be on their way to it from the kernel before it, if there is one"),
      key("stages", &Kernel::stages, stages_type(), "what it does, in order"),
  });
  const auto branch = object<Branch>({
      required(key("name", &Branch::name, name(NameScope::kTargets), "name of the branch")),
      key("stages", &Branch::stages, stages_type(), "what it does, in order"),
      key("then", &Branch::then, target({.next = false, .join = true, .branch = false}),
          "where its packets go: join (the next stage join of the chain that led here), or a sink"),
  });
  const auto pipeline = object<Pipeline>({
      required(key("name", &Pipeline::name, name(), "name of the pipeline")),
      required(key("sources", &Pipeline::sources,
                   list(queue_reference(ReferenceKind::kRxQueue), 1, 1000),
                   "receive queues, INTERFACE.QUEUE")),
      if_set(key("threads_per_block", &Pipeline::threads_per_block, threads, kThreads)),
      if_set(key("stages", &Pipeline::stages, stages_type(),
                 "what becomes of the packets, in one kernel")),
      key("kernels", &Pipeline::kernels, list(kernel, 0, 16),
          "kernels that run at once, each with stages, instead of stages: packets go from one to "
          "the "
          "next"),
      key("branches", &Pipeline::branches, list(branch, 0, 64), "chains that stages lead to"),
      required(key("sinks", &Pipeline::sinks, list(sink_type(), 1, 64),
                   "where packets leave; the first one has those that no stage sent elsewhere")),
  });
  return list(pipeline, 0, 256);
}

}  // namespace ringside::pipeline
