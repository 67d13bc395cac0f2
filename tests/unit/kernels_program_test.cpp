// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What each packet program does to a packet, through the registry's kernels and the fake NIC.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/generator_args.hpp"
#include "kernels/registry.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using KernelsProgram = BlockSizes;
RS_FOR_BLOCK_SIZES(KernelsProgram);

Bytes counting(std::size_t length) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
  return bytes;
}

/// What comes out of `kernel` when `frames` go in.
std::vector<Bytes> run_frames(FakeNic& nic, std::string_view kernel, std::uint32_t threads,
                              const std::vector<Bytes>& frames) {
  for (const Bytes& frame : frames) nic.receive(frame);
  KernelRun run(kernel, nic.stream(), threads);
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  EXPECT_TRUE(step_until([&] { return nic.sent().size() >= frames.size(); }, step));
  std::vector<Bytes> out;
  for (const SentFrame& frame : nic.sent()) out.push_back(frame.bytes);
  return out;
}

TEST_P(KernelsProgram, io_changes_nothing) {
  FakeNic nic({});
  const std::vector<Bytes> frames = {counting(0), counting(13), counting(14), counting(200)};
  EXPECT_EQ(run_frames(nic, "io", GetParam(), frames), frames);
}

TEST_P(KernelsProgram, macswap_exchanges_the_addresses_of_whole_ethernet_headers) {
  const std::vector<Bytes> frames = {counting(0), counting(13), counting(14), counting(200)};
  std::vector<Bytes> expected = frames;
  for (Bytes& frame : expected) {
    if (frame.size() < 14) continue;
    for (std::size_t i = 0; i < 6; ++i) std::swap(frame[i], frame[6 + i]);
  }
  for (const std::uint32_t buffer : {256U, 255U}) {  // the second: not at words' boundaries
    FakeNic nic({.buffer_length = buffer});
    EXPECT_EQ(run_frames(nic, "macswap", GetParam(), frames), expected) << buffer;
  }
}

/// As its description says, byte by byte.
Bytes inverted(Bytes frame) {
  if (frame.size() < 14) return frame;
  for (std::size_t i = 0; i < 6; ++i) std::swap(frame[i], frame[6 + i]);
  for (std::size_t i = 14; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(~frame[i]);
  return frame;
}

TEST_P(KernelsProgram, invert_inverts_all_behind_the_ethernet_header_wherever_a_buffer_begins) {
  std::vector<Bytes> frames;
  for (const std::size_t length : {0, 13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200, 250}) {
    frames.push_back(counting(length));
  }
  std::vector<Bytes> expected;
  for (const Bytes& frame : frames) expected.push_back(inverted(frame));
  for (const std::uint32_t buffer : {256U, 253U}) {  // 16-byte units in all slots, or in few
    FakeNic nic({.buffer_length = buffer});
    EXPECT_EQ(run_frames(nic, "invert", GetParam(), frames), expected) << buffer;
  }
}

TEST_P(KernelsProgram, invert_passes_over_a_bad_packet) {
  FakeNic nic({});
  nic.receive(counting(100));
  nic.receive_error(0x01);
  nic.receive(counting(60));
  KernelRun run("invert", nic.stream(), GetParam());
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 2; }, [&] { nic.read_sends(); }));
  EXPECT_EQ(nic.sent()[0].bytes, inverted(counting(100)));
  EXPECT_EQ(nic.sent()[1].bytes, inverted(counting(60)));
  nic.complete_sends();
}

TEST_P(KernelsProgram, mac_writes_the_ports_address_and_the_peers) {
  FakeNic nic({});
  const std::vector<Bytes> frames = {counting(0), counting(13), counting(14), counting(200)};
  std::vector<Bytes> expected = frames;
  const Bytes addresses = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};  // destination, source
  for (Bytes& frame : expected) {
    if (frame.size() >= 14) std::copy(addresses.begin(), addresses.end(), frame.begin());
  }
  EXPECT_EQ(run_frames(nic, "mac", GetParam(), frames), expected);
}

/// The 42 header bytes as scapy builds them for these addresses and this length, then the payload.
Bytes expected_udp_frame(std::size_t length) {
  Bytes frame;
  const auto head = [&](const char* hex) {
    for (; *hex != '\0'; hex += 2) {
      frame.push_back(static_cast<std::uint8_t>(std::stoul(std::string(hex, 2), nullptr, 16)));
    }
  };
  switch (length) {
    case 42:
      head("02000000000202000000000108004500001c000000004011eea9c6120001c612000200090009000873a4");
      break;
    case 43:
      head("02000000000202000000000108004500001d000000004011eea8c6120001c612000200090009000973a2");
      break;
    case 64:
      head("020000000002020000000001080045000032000000004011ee93c6120001c612000200090009001e04ff");
      break;
    case 1514:
      head("0200000000020200000000010800450005dc000000004011e8e9c6120001c61200020009000905c8e2c1");
      break;
    default:
      ADD_FAILURE() << "no frame of " << length << " bytes was prepared";
  }
  for (std::size_t i = 0; frame.size() < length; ++i) {
    frame.push_back(static_cast<std::uint8_t>(i));
  }
  return frame;
}

TEST_P(KernelsProgram, txonly_sends_udp_frames_of_the_length_asked_for) {
  for (const std::uint32_t length : {42U, 43U, 64U, 1514U}) {
    FakeNic nic({.tx_start = 65530, .buffer_length = 2048});
    nic.stream().program.packet_length = length;
    nic.stream().rx = {};  // a source has no receive queue
    KernelRun kernel("txonly", nic.stream(), GetParam());
    const auto step = [&] {
      nic.read_sends();
      nic.complete_sends();
    };
    ASSERT_TRUE(step_until([&] { return nic.sent().size() >= 50; }, step));
    kernel.request_stop();
    ASSERT_TRUE(step_until([&] { return nic.phase() == BlockPhase::kFinished; }, step));
    for (const SentFrame& frame : nic.sent()) {
      ASSERT_EQ(frame.bytes, expected_udp_frame(length));
      ASSERT_FALSE(frame.rx_index);
    }
    const StreamCounters counters = nic.counters();
    EXPECT_EQ(counters.tx_packets, nic.sent().size());
    EXPECT_EQ(counters.tx_generated, counters.tx_packets);
    EXPECT_EQ(counters.tx_completed, counters.tx_packets);
    EXPECT_EQ(counters.tx_bytes, counters.tx_packets * length);
  }
}

TEST_P(KernelsProgram, txonly_never_overruns_a_ring_that_stalls) {
  FakeNic nic({});
  KernelRun kernel("txonly", nic.stream(), GetParam());
  ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kWaitingForSendRoom; }));
  nic.read_sends();
  EXPECT_EQ(nic.sent().size(), 16U);
  nic.complete_sends();
  ASSERT_TRUE(wait_until([&] { return nic.counters().tx_packets == 32; }));
  nic.read_sends();
  nic.complete_sends();
}

std::uint64_t number_in(const SentFrame& frame) {
  std::uint64_t number = 0;
  for (std::size_t i = 42; i < 50; ++i) number = number << 8 | frame.bytes.at(i);
  return number;
}

TEST_P(KernelsProgram, generator_writes_a_frame_again_only_once_the_nic_has_sent_it) {
  GeneratorArgs args{.first = 5,
                     .step = 7,
                     .count = 40,
                     .ranges = {{1, 1}, {3, 0x0a000000}, {1, 2}, {1, 3}},
                     .size_count = 2,
                     .sizes = {}};
  args.sizes[0].length = 60;
  args.sizes[1].length = 100;
  FakeNic nic({.tx_start = 65530});
  nic.stream().rx = {};  // a source has no receive queue
  nic.stream().program.own = &args;
  KernelRun kernel("generator", nic.stream(), GetParam());
  // It has three buffers, and the NIC is slow to read them.
  while (nic.sent().size() < args.count) {
    const std::size_t before = nic.sent().size();
    const std::size_t expected = std::min<std::size_t>(before + 3, args.count);
    ASSERT_TRUE(wait_until([&] { return nic.counters().tx_packets == expected; }));
    nic.read_sends();
    ASSERT_EQ(nic.sent().size(), expected);
    nic.complete_sends();
  }
  kernel.stop();
  std::uint64_t number = args.first;
  std::uint64_t bytes = 0;
  for (const SentFrame& frame : nic.sent()) {
    EXPECT_EQ(number_in(frame), number);
    EXPECT_EQ(frame.bytes.size(), args.sizes[number % 2].length);
    EXPECT_EQ(frame.bytes.at(33), number % 3);
    EXPECT_EQ(frame.bytes.back(), frame.bytes.size() - 1 - 42);
    bytes += frame.bytes.size();
    number += args.step;
  }
  EXPECT_EQ(nic.counters().tx_generated, args.count);
  EXPECT_EQ(nic.counters().tx_bytes, bytes);
}

TEST_P(KernelsProgram, a_first_burst_is_sent_once_and_then_packets_are_received) {
  FakeNic nic({});
  nic.stream().first_burst = 20;  // more than the ring can take at once
  nic.receive(counting(100));
  KernelRun kernel("io", nic.stream(), GetParam());
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 21; }, step));
  kernel.stop();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(nic.sent()[i].bytes, expected_udp_frame(64));
  EXPECT_EQ(nic.sent()[20].bytes, counting(100));
  EXPECT_EQ(nic.counters().tx_generated, 20U);
  EXPECT_EQ(nic.counters().tx_packets, 21U);
}

TEST(KernelsRegistry, kernels_are_found_by_name_and_say_which_queues_they_use) {
  std::set<std::string> names;
  for (const HostKernel& kernel : host_kernels()) {
    names.emplace(kernel.name);
    EXPECT_EQ(find_host_kernel(kernel.name), &kernel);
    EXPECT_EQ(kernel.receives, kernel.name != "txonly" && kernel.name != "generator");
    EXPECT_EQ(kernel.sends, !kernel.name.ends_with("rxonly"));
  }
  EXPECT_EQ(names, (std::set<std::string>{
                       "generator", "invert", "io", "mac", "macswap", "pipeline", "pipeline_first",
                       "pipeline_last", "pipeline_middle", "rxonly", "split_pipeline",
                       "strided_invert", "strided_io", "strided_mac", "strided_macswap",
                       "strided_pipeline", "strided_rxonly", "traced", "txonly"}));
  EXPECT_EQ(find_host_kernel("macs"), nullptr);
  EXPECT_EQ(find_host_kernel(""), nullptr);
}

}  // namespace
}  // namespace ringside::test
