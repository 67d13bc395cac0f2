// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Pipelines from their YAML to the kernel that runs them, on the fake NIC, in blocks of several
// sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>

#include "kernels/pipeline_args.hpp"
#include "kernels/stages/user.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/load.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace ringside::pipeline {
namespace {

using frames::Bytes;
using frames::udp4;
using test::FakeNic;
using test::KernelRun;

constexpr const char* kHead = R"(
version: 1
memory_regions: [{name: packets}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, memory_regions: [packets]}]}
    tx: {queues: [{name: tx0}]}
tables:
  - name: flows
    entries:
      - {src: 10.0.0.1, dst: 10.0.0.2, proto: 17, src_port: 7, dst_port: 8, value: 42}
)";

Config config_of(const std::string& pipeline) {
  Loaded loaded = load_text(std::string(kHead) + pipeline, "test.yaml", nullptr);
  for (const Problem& problem : loaded.problems) {
    if (problem.severity == Problem::Severity::kError) ADD_FAILURE() << to_text(problem);
  }
  return std::move(loaded.config);
}

std::string pipeline(const std::string& rest) {
  return "pipelines:\n  - name: main\n    sources: [port0.rx0]\n" + rest;
}

stages::Next drop_odd(stages::PacketView& packet, const std::uint64_t* params) {
  return (packet.data[packet.length - 1] & params[0]) != 0 ? stages::Next::kDrop
                                                           : stages::Next::kOn;
}

ChainImage image_of(const std::string& text) {
  const Config config = config_of(pipeline(text));
  return build_chain(config.pipelines.at(0), 0, config.tables,
                     [](const UserStage&) { return reinterpret_cast<std::uint64_t>(&drop_odd); });
}

/// A kernel on a fake NIC, and all that it shares with the CPU.
class Running {
 public:
  Running(const ChainImage& image, std::uint32_t threads, std::uint32_t log_slots = 6)
      : image_(image),
        nic_({.packets_are_sent = false}),
        counters_(image.stages.size()),
        here_(image.stages.size()),
        words_(image.state_words + 1),
        slots_((std::size_t{kSlotBytes} << log_slots) / 8) {
    control.chain = chain(image_);
    args_ = {&control,
             &status,
             counters_.data(),
             here_.data(),
             words_.data(),
             &ring_state_,
             {&ring, reinterpret_cast<std::uint8_t*>(slots_.data()), kSlotBytes, log_slots},
             0};
    nic_.stream().program.own = &args_;
    kernel_.emplace("pipeline", nic_.stream(), threads);
  }

  static const stages::Chain* chain(const ChainImage& image) {
    return reinterpret_cast<const stages::Chain*>(image.words.data());
  }

  /// What was sent of these, once the kernel is done with all of them.
  std::vector<Bytes> through(const std::vector<Bytes>& packets) {
    const std::size_t before = nic_.sent().size();
    for (const Bytes& packet : packets) {
      EXPECT_TRUE(test::step_until([&] { return nic_.can_receive(); }, [this] { step(); }));
      nic_.receive(packet);
      ++received_;
    }
    EXPECT_TRUE(test::step_until([this] { return done(); }, [this] { step(); }));
    std::vector<Bytes> out;
    for (std::size_t i = before; i < nic_.sent().size(); ++i) out.push_back(nic_.sent()[i].bytes);
    return out;
  }

  /// Packets, by the stage's outcome.
  std::uint64_t on(const std::string& name, StageRole role = StageRole::kStep) const {
    return find(name, role).on;
  }
  std::uint64_t otherwise(const std::string& name, StageRole role = StageRole::kStep) const {
    return find(name, role).otherwise;
  }
  StreamCounters stop() {
    kernel_->stop();
    return nic_.counters();
  }

  struct Sample {
    std::uint64_t order;
    std::uint32_t length;
    Bytes bytes;
  };
  /// In the order of their slots.
  std::vector<Sample> samples() {
    std::vector<Sample> samples;
    const std::uint64_t head = std::atomic_ref(ring.head).load(std::memory_order_acquire);
    for (std::uint64_t i = ring.tail; i < head; ++i) {
      const auto* const slot = reinterpret_cast<const std::uint8_t*>(slots_.data()) +
                               (i & ((1U << args_.ring.log_slots) - 1)) * kSlotBytes;
      const auto& header = *reinterpret_cast<const stages::SampleHeader*>(slot);
      const std::uint8_t* const bytes = slot + sizeof header;
      samples.push_back({header.order, header.length, {bytes, bytes + header.captured}});
    }
    std::atomic_ref(ring.tail).store(head, std::memory_order_release);
    return samples;
  }

  PipelineControl control{};
  PipelineStatus status{};
  stages::SampleRingWords ring{};

 private:
  static constexpr std::uint32_t kSlotBytes = 256;

  void step() {
    nic_.read_sends();
    nic_.complete_sends();
  }
  bool done() const {
    const StreamCounters counters = nic_.counters();
    return counters.rx_packets == received_ &&
           counters.tx_completed + counters.consumed +
                   counters.dropped[static_cast<std::size_t>(DropCause::kProgram)] ==
               received_;
  }
  stages::StageCounters find(const std::string& name, StageRole role) const {
    for (std::size_t i = 0; i < image_.stages.size(); ++i) {
      if (image_.stages[i].name == name && image_.stages[i].role == role) {
        const auto read = [](const std::uint64_t& word) {
          return __atomic_load_n(&word, __ATOMIC_RELAXED);
        };
        return {read(counters_[i].on), read(counters_[i].otherwise), read(counters_[i].on_bytes)};
      }
    }
    ADD_FAILURE() << "no stage " << name;
    return {};
  }

  const ChainImage& image_;
  FakeNic nic_;
  std::vector<stages::StageCounters> counters_, here_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> slots_;
  stages::SampleRingState ring_state_{};
  PipelineArgs args_{};
  std::uint64_t received_ = 0;
  std::optional<KernelRun> kernel_;  // last: uses all of the above
};

using PipelineChain = test::BlockSizes;
RS_FOR_BLOCK_SIZES(PipelineChain);

std::vector<Bytes> numbered(std::size_t count) {
  std::vector<Bytes> packets;
  for (std::size_t i = 0; i < count; ++i) {
    packets.push_back(udp4(static_cast<std::uint16_t>(i), 9));
    packets.back().back() = static_cast<std::uint8_t>(i);
  }
  return packets;
}

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

TEST(PipelineChainBuilder, each_kernel_has_its_stages_and_all_but_the_last_lead_to_the_next) {
  const Config config = config_of(pipeline(R"(
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
}  // namespace ringside::pipeline
