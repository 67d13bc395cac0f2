// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/stages_chains.hpp"

#include "kernels/stages/chain.hpp"
#include "kernels/stages/five_tuple.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/chain_source.hpp"
#include "lib/pipeline/stage_parameters.hpp"

namespace ringside::bench {
namespace {

using namespace ringside::pipeline;

FieldBits bits(std::uint64_t value) {
  FieldBits bits{};
  for (std::size_t i = 0; i < 8; ++i) bits[15 - i] = static_cast<std::uint8_t>(value >> (8 * i));
  return bits;
}

Match match(Item item, Field field, std::uint64_t mask, std::uint64_t first, std::uint64_t last) {
  return {{{item, false, {{field, bits(mask), bits(first), bits(last)}}}}};
}

Stage stage(const char* name, StageParams params) {
  return {name, {}, std::move(params)};
}

ChainImage image_of(int count) {
  Pipeline bench;
  bench.name = "bench";
  bench.sources.resize(1);
  bench.sinks.push_back({"out", TxSink{}});
  std::vector<Stage>& stages = bench.kernels.emplace_back().stages;
  if (count == 8) {
    stages.push_back(stage("parse", ParseStage{}));
    stages.push_back(
        stage("ours", MatchStage{.fields = match(Item::kIpv4, Field::kIpv4Src, 0xff000000,
                                                 0x0a000000, 0x0a000000)}));
  }
  if (count > 1) {
    stages.push_back(
        stage("port", MatchStage{.fields = match(Item::kUdp, Field::kUdpDst, 0xffff, 1, 1023)}));
    stages.push_back(stage("count", CountStage{}));
    stages.push_back(stage("rewrite", RewriteStage{.set = {{Field::kIpv4Ttl, bits(63)},
                                                           {Field::kIpv4Dst, bits(0xc0000209)}}}));
  }
  if (count == 8) {
    IcmpEchoStage echo;
    echo.arp = false;
    echo.addresses.push_back({false, {192, 0, 2, 1}});
    echo.to = {"out", Target::Kind::kSink, 0};
    stages.push_back(stage("echo", echo));
    LoadBalanceStage balance;
    for (std::uint8_t i = 1; i <= 4; ++i) {
      balance.backends.push_back(
          {.mac = pipeline::MacAddress{2, 0, 0, 0, 1, i}, .ip = {}, .to = {}});
    }
    stages.push_back(stage("balance", balance));
  }
  stages.push_back(stage("swap", SwapStage{}));
  return build_chain(bench, 0, {}, {});
}

}  // namespace

std::string shape_of(int count) {
  return shape_members(image_of(count));
}

BenchChain chain_of(int count) {
  ChainImage image = image_of(count);
  reinterpret_cast<ringside::stages::Chain*>(image.words.data())->shape = 1;
  BenchChain chain{image.words, static_cast<std::uint32_t>(image.stages.size()), 0};
  const auto& laid = *reinterpret_cast<const ringside::stages::Chain*>(image.words.data());
  for (std::uint32_t i = 0; i < laid.stages; ++i) {
    const ringside::stages::Stage& one = laid.stage[i];
    if (one.op == ringside::stages::Op::kLoadBalance) chain.backends_at = one.parameters;
  }
  return chain;
}

std::vector<std::uint64_t> table_of(std::uint32_t entries) {
  Table table;
  table.name = "bench";
  for (std::uint32_t i = 0; i < entries; ++i) {
    TableEntry& entry = table.entries.emplace_back();
    entry.src.bytes = {10, 0, static_cast<std::uint8_t>(i >> 24),
                       static_cast<std::uint8_t>(i >> 16)};
    entry.dst.bytes = {10, 0, 0, 1};
    entry.proto = 17;
    entry.src_port = static_cast<std::uint16_t>(i);
    entry.dst_port = 53;
    entry.value = i;
  }
  ParameterBytes bytes;
  add_table(bytes, table);
  return bytes.words();
}

}  // namespace ringside::bench
