// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What chains hand to the CPU, and what they take from it while packets come.
#include <algorithm>

#include "tests/unit/pipeline_chain_rig.hpp"

namespace ringside::pipeline::test_chains {
namespace {

using PipelineChain = test::BlockSizes;
RS_FOR_BLOCK_SIZES(PipelineChain);

TEST_P(PipelineChain, copies_go_to_the_cpu_in_order_and_packets_go_on) {
  const ChainImage image = image_of(R"(
    stages:
      - mirror: copies
    sinks: [{name: out, tx: [port0.tx0]}, {name: copies, pcap: {file: x.pcap, snaplen: 40}}]
)");
  Running running(image, GetParam());
  const std::vector<Bytes> packets = numbered(40);
  EXPECT_EQ(running.through(packets), packets);
  running.stop();
  std::vector<Running::Sample> samples = running.samples();
  std::ranges::stable_sort(samples, {}, &Running::Sample::order);
  ASSERT_EQ(samples.size(), 40U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].bytes, Bytes(packets[i].begin(), packets[i].begin() + 40));
    EXPECT_EQ(samples[i].length, packets[i].size());
  }
}

TEST_P(PipelineChain, a_full_ring_loses_copies_and_never_packets) {
  const ChainImage image = image_of(R"(
    stages:
      - mirror: copies
    sinks: [{name: out, tx: [port0.tx0]}, {name: copies, pcap: {file: x.pcap}}]
)");
  Running running(image, GetParam(), 2);
  EXPECT_EQ(running.through(numbered(40)), numbered(40));
  EXPECT_EQ(running.on("mirror", StageRole::kCopied), 4U);
  EXPECT_EQ(running.otherwise("mirror", StageRole::kCopied), 36U);
  EXPECT_EQ(running.samples().size(), 4U);
  running.through(numbered(3));
  EXPECT_EQ(running.samples().size(), 3U);
}

TEST_P(PipelineChain, what_a_sink_of_the_cpu_has_no_room_for_is_dropped_by_that_name) {
  const ChainImage image = image_of(R"(
    sinks: [{name: file, pcap: {file: x.pcap}}]
)");
  Running running(image, GetParam(), 3);
  EXPECT_EQ(running.through(numbered(20)), std::vector<Bytes>{});
  const StreamCounters counters = running.stop();
  EXPECT_EQ(counters.consumed, 8U);
  EXPECT_EQ(running.on("file: ring full", StageRole::kDrop), 12U);
}

TEST_P(PipelineChain, a_new_chain_holds_for_packets_that_come_after_it) {
  const std::string text = R"(
    stages:
      - match: {fields: {udp: {src: %}}}
    sinks: [{name: out, tx: [port0.tx0]}]
)";
  const auto with = [&](const char* ports) {
    std::string changed = text;
    return image_of(changed.replace(changed.find('%'), 1, ports));
  };
  const ChainImage first = with("0-9");
  const ChainImage second = with("10-19");
  Running running(first, GetParam());
  const std::vector<Bytes> packets = numbered(20);
  const std::vector<Bytes> low(packets.begin(), packets.begin() + 10);
  const std::vector<Bytes> high(packets.begin() + 10, packets.end());
  EXPECT_EQ(running.through(packets), low);
  EXPECT_EQ(__atomic_load_n(&running.status.chain, __ATOMIC_ACQUIRE), Running::chain(first));
  std::atomic_ref(running.control.chain).store(Running::chain(second));
  test::wait_until([begin = monotonic_ns()] { return monotonic_ns() - begin > 1'000'000; });
  EXPECT_EQ(running.through(packets), high);
  EXPECT_EQ(__atomic_load_n(&running.status.chain, __ATOMIC_ACQUIRE), Running::chain(second));
}

}  // namespace
}  // namespace ringside::pipeline::test_chains
