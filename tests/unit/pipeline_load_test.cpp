// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a file becomes: values and defaults in the structs, references as indices, numbers for auto.
#include "lib/pipeline/load.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/flow/external_queue.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline::test {
namespace {

constexpr std::string_view kHead = R"(version: 1
memory_regions:
  - {name: headers, kind: host_pinned}
  - {name: data}
interfaces:
  - name: left
    address: 0000:ca:00.0
    rx:
      queues:
        - {name: rx0, memory_regions: [data]}
        - {name: rx1, num_desc: 512, batch_size: 32, memory_regions: [headers, data]}
      flows:
        - {name: dns, match: {udp: {dst: 53}}, actions: [mark: 7, queue: rx1]}
    tx: {queues: [{name: tx0}, {name: tx1, pacing: 10Gbps}]}
  - name: right
    address: 0000:ca:00.1
    mtu: 9000
    rx: {queues: [{name: rx0, memory_regions: [data]}]}
    tx: {queues: [{name: tx0}]}
)";

constexpr std::string_view kPipelines = R"(pipelines:
  - name: first
    sources: [left.rx0, left.rx1]
    sinks:
      - {name: out, tx: [left.tx0, left.tx1]}
  - name: second
    sources: [right.rx0]
    threads_per_block: 64
    stages:
      - count
      - match: {fields: {udp: }, then: slow, otherwise: next}
      - count
      - name: count2
        count:
      - police: {bit_rate: 800Mbps}
      - join
    branches:
      - {name: slow, stages: [{mirror: cap}]}
    sinks:
      - {name: out, tx: [right.tx0]}
      - {name: cap, pcap: load_test.pcap}
)";

Config load(const std::string& text) {
  const Loaded loaded = load_text(text, "test.yaml", nullptr);
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << to_text(problem);
  return loaded.config;
}

Config load() {
  return load(std::string(kHead) + std::string(kPipelines));
}

TEST(PipelineLoad, values_and_defaults_are_in_the_structs) {
  const Config config = load();
  const Interface& left = config.interfaces.at(0);
  EXPECT_EQ(left.address, "0000:ca:00.0");
  EXPECT_EQ(left.mtu, 1500);
  EXPECT_TRUE(left.promiscuous);
  EXPECT_EQ(left.rx.queues.at(0).num_desc, 1024U);
  EXPECT_EQ(left.rx.queues.at(1).num_desc, 512U);
  EXPECT_EQ(left.tx.queues.at(0).pacing, std::nullopt);
  EXPECT_EQ(left.tx.queues.at(1).pacing, 10'000'000'000U);
  EXPECT_EQ(config.memory_regions.at(0).kind, MemoryRegion::Kind::kHostPinned);
  EXPECT_EQ(config.telemetry.stats_period_ms, 1000U);
}

TEST(PipelineLoad, references_have_the_indices_of_what_they_name) {
  const Config config = load();
  const RxSide& rx = config.interfaces.at(0).rx;
  EXPECT_EQ(rx.queues.at(1).memory_regions.at(0).index, 0);
  EXPECT_EQ(rx.queues.at(1).memory_regions.at(1).index, 1);
  const auto& actions = rx.flows.at(0).actions;
  EXPECT_EQ(std::get<FlowMark>(actions.at(0)).id, 7U);
  EXPECT_EQ(std::get<FlowQueue>(actions.at(1)).queue.index, 1);

  const Pipeline& second = config.pipelines.at(1);
  EXPECT_EQ(second.sources.at(0).interface, 1);
  EXPECT_EQ(second.sources.at(0).queue, 0);
  const Pipeline& first = config.pipelines.at(0);
  EXPECT_EQ(std::get<TxSink>(first.sinks.at(0).params).queues.at(1).queue, 1);
}

TEST(PipelineLoad, targets_know_what_they_lead_to) {
  const Config config = load();
  const Pipeline& pipeline = config.pipelines.at(1);
  const auto& match = std::get<MatchStage>(pipeline.kernels.at(0).stages.at(1).params);
  EXPECT_EQ(match.then.kind, Target::Kind::kBranch);
  EXPECT_EQ(match.then.index, 0);
  EXPECT_EQ(match.otherwise.kind, Target::Kind::kNext);
  const Branch& branch = pipeline.branches.at(0);
  EXPECT_EQ(branch.then.kind, Target::Kind::kJoin);
  const auto& mirror = std::get<MirrorStage>(branch.stages.at(0).params);
  EXPECT_EQ(mirror.to.kind, Target::Kind::kSink);
  EXPECT_EQ(mirror.to.index, 1);
}

TEST(PipelineLoad, stages_without_kernels_become_one_kernel) {
  const Config config = load();
  const Pipeline& empty = config.pipelines.at(0);
  ASSERT_EQ(empty.kernels.size(), 1U);
  EXPECT_EQ(empty.kernels[0].name, "first");
  EXPECT_EQ(empty.kernels[0].threads_per_block, std::nullopt);
  EXPECT_TRUE(empty.kernels[0].stages.empty());

  const Pipeline& second = config.pipelines.at(1);
  ASSERT_EQ(second.kernels.size(), 1U);
  EXPECT_TRUE(second.stages.empty());
  EXPECT_EQ(second.kernels[0].threads_per_block, 64U);
  EXPECT_EQ(second.kernels[0].stages.size(), 6U);
}

TEST(PipelineLoad, stages_without_a_name_get_a_free_one) {
  const Config config = load();
  std::vector<std::string> names;
  for (const Stage& stage : config.pipelines.at(1).kernels.at(0).stages) {
    names.push_back(stage.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"count", "match", "count3", "count2", "police", "join"}));
}

TEST(PipelineLoad, auto_becomes_what_rings_and_mtus_need) {
  const Config config = load();
  // 1.5 times 1024 twice, and of 512; the data behind headers is in the larger one.
  EXPECT_EQ(config.memory_regions.at(1).num_bufs, 1536U + 1536U + 768U);
  EXPECT_EQ(config.memory_regions.at(0).num_bufs, 768U);
  // Headroom, and a frame of an MTU of 9000 with its FCS, in lines of 128 bytes.
  EXPECT_EQ(config.memory_regions.at(1).buf_size, 9216U);
  EXPECT_EQ(config.memory_regions.at(0).buf_size, 256U);
  const auto& police =
      std::get<PoliceStage>(config.pipelines.at(1).kernels.at(0).stages.at(4).params);
  EXPECT_EQ(police.burst, 1'000'000U);  // 10 ms of 100 MB/s
}

TEST(PipelineLoad, every_region_that_auto_sizes_holds_what_the_runtime_takes_from_it) {
  // The data path keeps a buffer a slot and some for frames of its own.
  const Config config = load();
  EXPECT_GE(*config.memory_regions.at(0).num_bufs, 512U + kOwnTxBuffers);
}

TEST(PipelineLoad, an_interface_can_have_as_many_queues_as_a_port_can_export) {
  std::string queues;
  for (int i = 0; i < ExternalQueue::kMaxPerPort + 1; ++i) {
    queues += "        - {name: q" + std::to_string(i) + ", memory_regions: [data]}\n";
  }
  const std::string text =
      "version: 1\nmemory_regions: [{name: data}]\ninterfaces:\n"
      "  - name: port\n    address: 0000:ca:00.0\n    rx:\n      queues:\n" +
      queues;
  const Loaded loaded = load_text(text, "test.yaml", nullptr);
  ASSERT_FALSE(loaded.problems.empty());
  EXPECT_EQ(loaded.problems[0].text, "a list of 1001: use a list of 0 to 1000");
}

TEST(PipelineLoad, tables_are_read_from_files_beside_the_pipeline) {
  const std::filesystem::path folder = testing::TempDir() + "pipeline_load";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "table.csv") << "dst,src,proto,value\n# a comment\n"
                                         "203.0.113.1, 198.51.100.1, 0x06, 9\r\n\n"
                                         "2001:db8::2,2001:db8::1,17,8\n";
  const std::string text = std::string(kHead) + "tables: [{name: known, file: table.csv}]\n";
  const Loaded loaded = load_text(text + std::string(kPipelines), folder / "file.yaml", nullptr);
  EXPECT_TRUE(loaded.ok());
  const Table& table = loaded.config.tables.at(0);
  EXPECT_EQ(table.file, folder / "table.csv");
  EXPECT_EQ(table.capacity, 2U);
  ASSERT_EQ(table.entries.size(), 2U);
  const TableEntry& entry = table.entries[0];
  EXPECT_EQ(entry.src.bytes[0], 198);
  EXPECT_EQ(entry.dst.bytes[0], 203);
  EXPECT_EQ(entry.proto, 6);
  EXPECT_EQ(entry.value, 9U);
  EXPECT_TRUE(table.entries[1].src.v6);
}

TEST(PipelineLoad, problems_are_in_the_order_of_the_file) {
  const Loaded loaded =
      load_text("vers: 1\nmemory_regions: 3\ninterfaces: [{name: 5}]\n", "test.yaml", nullptr);
  ASSERT_GT(loaded.problems.size(), 3U);
  for (std::size_t i = 1; i < loaded.problems.size(); ++i) {
    EXPECT_LE(loaded.problems[i - 1].mark.line, loaded.problems[i].mark.line);
  }
}

TEST(PipelineLoad, aliases_that_would_fill_the_memory_are_refused_at_once) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    const char before = static_cast<char>(name - 1);
    text += std::string{name} + ": &" + name + " [";
    for (int i = 0; i < 10; ++i) text += std::string("*") + before + ", ";
    text += "]\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(load_text(text, "test.yaml", nullptr).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace ringside::pipeline::test
