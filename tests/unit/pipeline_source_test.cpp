// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Chains as source text: compiled, they do what they do when they are walked in memory.
#include <gtest/gtest.h>
#include <pcap/pcap.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "lib/pipeline/chain_source.hpp"
#include "lib/pipeline/host_chains.hpp"
#include "lib/pipeline/system_compiler.hpp"
#include "tests/unit/both_chains.hpp"
#include "tests/unit/known_chains.hpp"
#include "tests/unit/known_shapes.hpp"

namespace ringside::pipeline {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> capture(const char* name) {
  std::vector<Bytes> frames;
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* const file =
      pcap_open_offline((std::string(RINGSIDE_TEST_DATA "/") + name).c_str(), error);
  if (file == nullptr) throw std::runtime_error(error);
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* bytes = nullptr;
  while (pcap_next_ex(file, &header, &bytes) == 1) {
    frames.emplace_back(bytes, bytes + header->caplen);
  }
  pcap_close(file);
  return frames;
}

/// Each frame as it is, and spoilt in the headers.
std::vector<Bytes> frames() {
  std::vector<Bytes> frames = capture("http-dns-icmp.pcap");
  for (const Bytes& frame : capture("vlan.pcap")) frames.push_back(frame);
  std::minstd_rand random(1);
  for (std::size_t i = frames.size(); i-- > 0;) {
    for (int spoilt = 0; spoilt < 20; ++spoilt) {
      Bytes frame = frames[i];
      frame[random() % std::min<std::size_t>(frame.size(), 60)] ^=
          static_cast<std::uint8_t>(1U << random() % 8);
      if (spoilt % 4 == 0) frame.resize(1 + random() % frame.size());
      frames.push_back(frame);
    }
  }
  return frames;
}

void expect_the_same(int number, stages::ChainFunction whole, stages::ChainFunction split) {
  test::BothChains chains(test::known_chain(number), whole, split);
  for (const Bytes& frame : frames()) {
    ASSERT_TRUE(chains.agree(frame)) << number;
    ASSERT_TRUE(chains.agree(frame, frame.size() / 2)) << number;
  }
  EXPECT_GT(chains.sent(), 0U) << number;
}

template <class Shape>
void expect_the_same(int number) {
  expect_the_same(number, stages::chain_function<false, Shape>,
                  stages::chain_function<true, Shape>);
}

TEST(PipelineSource, a_compiled_chain_does_what_a_walked_one_does) {
  static_assert(test::kKnownChains == 3);
  expect_the_same<stages::Shape1>(1);
  expect_the_same<stages::Shape2>(2);
  expect_the_same<stages::Shape3>(3);
}

class PipelineFunctions : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1), 0); }

  static std::string shape(int number) {
    return shape_members(test::known_chain(number), UserFunctionKind::kAddress);
  }

 private:
  TemporaryFolder folder_;
};

// Objects with shapes of one name, and the second time from what was kept of the first.
TEST_F(PipelineFunctions, that_are_compiled_at_run_time_do_what_a_walked_chain_does) {
  static_assert(test::kKnownChains == 3);
  HostChains first, again;
  for (HostChains* const chains : {&first, &again}) {
    chains->add({shape(1)}, false);
    chains->add({shape(2), shape(3)}, false);
    chains->add({shape(1), shape(2), shape(3)}, true);
    for (int number = 1; number <= test::kKnownChains; ++number) {
      const auto function = [&](bool splits) {
        return reinterpret_cast<stages::ChainFunction>(chains->function(shape(number), splits));
      };
      expect_the_same(number, function(false), function(true));
    }
  }
}

TEST_F(PipelineFunctions, are_of_their_own_shapes_only) {
  HostChains chains;
  chains.add({shape(3)}, false);
  EXPECT_NE(chains.function(shape(3), false), 0U);
  EXPECT_EQ(chains.function(shape(3), true), 0U);
  EXPECT_EQ(chains.function(shape(2), false), 0U);
}

std::ptrdiff_t loaded_chains() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return std::count_if(begin(open), end(open), [](const std::filesystem::path& file) {
    std::error_code gone;
    return std::filesystem::read_symlink(file, gone).string().starts_with("/memfd:ringside-chains");
  });
}

TEST_F(PipelineFunctions, that_nobody_uses_are_let_go_of_with_their_files) {
  HostChains chains;
  chains.add({shape(1), shape(2)}, false);
  chains.add({shape(3)}, false);
  EXPECT_EQ(loaded_chains(), 2);
  const std::uint64_t second = chains.function(shape(2), false);
  chains.keep_only({second});
  EXPECT_EQ(loaded_chains(), 1);
  EXPECT_EQ(chains.function(shape(3), false), 0U);
  EXPECT_EQ(chains.function(shape(2), false), second);
  expect_the_same(2, reinterpret_cast<stages::ChainFunction>(second),
                  stages::chain_function<true, stages::Shape2>);
  chains.keep_only({});
  EXPECT_EQ(loaded_chains(), 0);
}

TEST(PipelineSource, other_values_leave_the_shape_and_other_fields_do_not) {
  ChainImage image = test::known_chain(1);
  const std::string shape = shape_members(image);
  auto& chain = *reinterpret_cast<stages::Chain*>(image.words.data());
  stages::Condition* condition = nullptr;
  for (std::uint32_t i = 0; i < chain.stages; ++i) {
    if (chain.stage[i].op != stages::Op::kMatch) continue;
    auto* const match = reinterpret_cast<stages::Match*>(
        reinterpret_cast<std::uint8_t*>(image.words.data()) + chain.stage[i].parameters);
    if (match->count > 0) condition = match->conditions;
  }
  ASSERT_NE(condition, nullptr);
  condition->first.low ^= 1;
  EXPECT_EQ(shape_members(image), shape);
  condition->place.offset ^= 1;
  EXPECT_NE(shape_members(image), shape);
}

TEST(PipelineSource, a_larger_table_leaves_the_shape) {
  const auto image_of = [](std::uint32_t entries) {
    Table table;
    table.name = "flows";
    for (std::uint32_t i = 0; i < entries; ++i) {
      TableEntry& entry = table.entries.emplace_back();
      entry.src.bytes = {10, 0, 0, static_cast<std::uint8_t>(i)};
      entry.proto = 17;
    }
    Pipeline pipeline;
    pipeline.name = "main";
    pipeline.sinks.push_back({"out", TxSink{}});
    LookupStage lookup;
    lookup.table.index = 0;
    SwapStage swap;
    pipeline.kernels.emplace_back().stages = {{"lookup", {}, lookup}, {"swap", {}, swap}};
    return build_chain(pipeline, 0, {table}, {});
  };
  EXPECT_EQ(shape_members(image_of(4)), shape_members(image_of(200)));
}

}  // namespace
}  // namespace ringside::pipeline
