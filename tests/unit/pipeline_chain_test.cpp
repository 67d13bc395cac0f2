// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which way packets go through a chain, in blocks of several sizes.
#include <algorithm>
#include <map>
#include <set>

#include "kernels/stages/table.hpp"
#include "tests/unit/pipeline_chain_rig.hpp"

namespace ringside::pipeline::test_chains {
namespace {

using PipelineChain = test::BlockSizes;
RS_FOR_BLOCK_SIZES(PipelineChain);

TEST_P(PipelineChain, no_stages_send_every_packet) {
  const ChainImage image = image_of("    sinks: [{name: out, tx: [port0.tx0]}]\n");
  Running running(image, GetParam());
  EXPECT_EQ(running.through(numbered(40)), numbered(40));
}

TEST_P(PipelineChain, a_match_sends_some_and_drops_the_rest_by_its_name) {
  const ChainImage image = image_of(R"(
    stages:
      - match: {fields: {udp: {src: 0-9}}}
        name: low
      - count: {}
        name: passed
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  Running running(image, GetParam());
  const std::vector<Bytes> packets = numbered(40);
  EXPECT_EQ(running.through(packets), std::vector<Bytes>(packets.begin(), packets.begin() + 10));
  const StreamCounters counters = running.stop();
  EXPECT_EQ(counters.dropped[static_cast<std::size_t>(DropCause::kProgram)], 30U);
  EXPECT_EQ(running.on("low"), 10U);
  EXPECT_EQ(running.otherwise("low"), 30U);
  EXPECT_EQ(running.on("low", StageRole::kDrop), 30U);
  EXPECT_EQ(running.on("passed", StageRole::kCount), 10U);
}

TEST_P(PipelineChain, branches_part_and_come_back_at_the_join) {
  const ChainImage image = image_of(R"(
    stages:
      - split:
          rules: [{when: {udp: {src: 0-9}}, to: low}, {when: {udp: {src: 10-19}}, to: middle}]
          otherwise: next
      - count: {}
        name: between
      - join: {}
      - count: {}
        name: after
    branches:
      - {name: low, stages: [{rewrite: {set: {udp: {dst: 1000}}}}], then: join}
      - {name: middle, stages: [{drop: {}, name: not_these}], then: join}
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  Running running(image, GetParam());
  std::vector<Bytes> expected = numbered(40);
  for (std::size_t i = 0; i < 10; ++i) frames::put16(expected[i], 36, 1000);
  expected.erase(expected.begin() + 10, expected.begin() + 20);
  EXPECT_EQ(running.through(numbered(40)), expected);
  running.stop();
  EXPECT_EQ(running.on("between", StageRole::kCount), 20U);
  EXPECT_EQ(running.on("after", StageRole::kCount), 30U);
  EXPECT_EQ(running.on("not_these", StageRole::kDrop), 10U);
}

TEST_P(PipelineChain, a_stage_with_a_condition_leaves_the_others_alone) {
  const ChainImage image = image_of(R"(
    stages:
      - swap: {macs: true}
        when: {udp: {src: 3}}
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  Running running(image, GetParam());
  std::vector<Bytes> expected = numbered(8);
  std::swap_ranges(expected[3].begin(), expected[3].begin() + 6, expected[3].begin() + 6);
  EXPECT_EQ(running.through(numbered(8)), expected);
}

TEST_P(PipelineChain, a_lookup_tags_what_later_stages_match) {
  const ChainImage image = image_of(R"(
    stages:
      - lookup: {table: flows, otherwise: next}
      - match: {fields: {meta: {tag: 42}}}
        name: tagged
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  Running running(image, GetParam());
  const Bytes known = udp4(7, 8);
  EXPECT_EQ(running.through({udp4(8, 7), known, udp4(7, 9)}), std::vector<Bytes>{known});
}

TEST_P(PipelineChain, lookups_of_one_table_share_it) {
  const auto with = [](const std::string& lookups) {
    return image_of("    stages: [" + lookups + "]\n    sinks: [{name: out, tx: [port0.tx0]}]\n");
  };
  const std::string two = "{lookup: {table: flows, otherwise: next}}, ";
  const ChainImage once = with("{lookup: {table: flows}}");
  const ChainImage thrice = with(two + two + "{lookup: {table: flows}}");
  EXPECT_EQ(once.tables, std::set<std::uint16_t>{0});
  EXPECT_EQ(thrice.tables, once.tables);
  constexpr std::size_t kTable = sizeof(stages::BucketTags) + 4 * sizeof(stages::TableEntry);
  const std::size_t heads = 2 * (sizeof(stages::Stage) + sizeof(stages::TableParameters));
  EXPECT_LT((thrice.words.size() - once.words.size()) * 8, heads + kTable);
  Running running(thrice, GetParam());
  const Bytes known = udp4(7, 8);
  EXPECT_EQ(running.through({udp4(8, 7), known, udp4(7, 9)}), std::vector<Bytes>{known});
  running.stop();
  for (const char* const stage : {"lookup", "lookup2", "lookup3"}) EXPECT_EQ(running.on(stage), 1U);
}

TEST_P(PipelineChain, each_flow_has_a_rate_of_its_own) {
  const ChainImage image = image_of(R"(
    stages:
      - police: {packet_rate: 1, burst: 3, per: fields, fields: [udp.src]}
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  EXPECT_EQ(image.state_words, 65536U);
  Running running(image, GetParam());
  const std::uint64_t begin = monotonic_ns();
  std::vector<Bytes> packets;
  for (std::uint16_t i = 0; i < 40; ++i) packets.push_back(udp4(i % 4, i));
  std::map<std::uint16_t, std::uint64_t> passed;
  for (const Bytes& packet : running.through(packets)) ++passed[packet[35]];
  const std::uint64_t seconds = (monotonic_ns() - begin) / 1'000'000'000 + 1;
  EXPECT_EQ(passed.size(), 4U);
  for (const auto& [port, count] : passed) {
    EXPECT_GE(count, 3U) << port;
    EXPECT_LT(count, 3 + seconds) << port;
  }
}

TEST_P(PipelineChain, a_stage_of_the_users_decides) {
  const ChainImage image = image_of(R"(
    stages:
      - user: {object: /proc/self/exe, function: drop_odd, params: [1]}
        name: odd
    sinks: [{name: out, tx: [port0.tx0]}]
)");
  Running running(image, GetParam());
  EXPECT_EQ(running.through(numbered(20)).size(), 10U);
  running.stop();
  EXPECT_EQ(running.on("odd", StageRole::kDrop), 10U);
}

TEST(PipelineChainBuilder, each_kernel_has_its_stages_and_all_but_the_last_lead_to_the_next) {
  const Config config = test::one_port(pipeline(R"(
    kernels:
      - name: first
        stages:
          - parse: {vxlan_port: 8472}
          - match: {fields: {udp: {}}, otherwise: out}
      - {name: second, stages: []}
      - {name: third, stages: [{match: {fields: {vxlan: {}}}}]}
    sinks: [{name: out, tx: [port0.tx0]}]
)"));
  const auto stage_of = [&](std::size_t kernel, std::size_t stage) {
    const ChainImage image = build_chain(config.pipelines.at(0), kernel, config.tables, {});
    return Running::chain(image)->stage[stage];
  };
  const ChainImage first = build_chain(config.pipelines.at(0), 0, config.tables, {});
  ASSERT_EQ(first.stages.size(), 3U);
  EXPECT_EQ(first.stages.at(1).kind, "drop");
  EXPECT_EQ(stage_of(0, 2).on, stages::kNextTarget);
  EXPECT_EQ(stage_of(0, 2).otherwise, stages::kSendTarget);
  EXPECT_EQ(build_chain(config.pipelines.at(0), 1, config.tables, {}).stages.at(0),
            (ChainStage{"second", "forward", StageRole::kStep}));
  EXPECT_EQ(stage_of(1, 0).on, stages::kNextTarget);
  EXPECT_EQ(stage_of(2, 0).on, stages::kSendTarget);
  // What the first kernel's parse says of ports is so in those behind it.
  const ChainImage third = build_chain(config.pipelines.at(0), 2, config.tables, {});
  EXPECT_EQ(Running::chain(third)->parse.vxlan_port, 8472);
}

}  // namespace
}  // namespace ringside::pipeline::test_chains
