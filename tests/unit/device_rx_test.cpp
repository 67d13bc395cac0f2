// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// RxQueue, against the fake NIC.
#include "lib/device/rx.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "lib/device/split_queue.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

using DeviceRx = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceRx);

std::vector<std::uint8_t> frame_of(std::uint32_t number) {
  return std::vector<std::uint8_t>(20 + number % 50, static_cast<std::uint8_t>(number));
}

void receive_frames(FakeNic& nic, std::uint32_t count, std::uint32_t first = 0) {
  for (std::uint32_t i = 0; i < count; ++i) nic.receive(frame_of(first + i));
}

/// Checks that packet i of the batch is frame first + i, in all threads.
void expect_frames(HostBlock& block, const RxQueue& rx, const RxBatch& batch, std::uint32_t first) {
  for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
    ASSERT_TRUE(rx.is_packet(batch, i));
    const Packet packet = rx.packet(batch, i);
    const std::vector<std::uint8_t> expected = frame_of(first + i);
    ASSERT_EQ(std::vector(packet.data(), packet.data() + packet.length()), expected);
  }
}

void take_all(HostBlock& block, RxQueue& rx, const RxBatch& batch) {
  for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) rx.take(batch, i);
  block.sync();
}

void release_all(HostBlock& block, RxQueue& rx, const RxBatch& batch) {
  for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
    rx.release(rx.packet(batch, i).slot());
  }
  block.sync();
  rx.give_back(block);
}

FakeNic::Config sink(FakeNic::Config config = {}) {
  config.packets_are_sent = false;
  return config;
}

TEST_P(DeviceRx, an_empty_queue_gives_an_empty_batch_at_once) {
  FakeNic nic(sink());
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    EXPECT_EQ(batch.count, 0U);
    EXPECT_FALSE(batch.stopped);
  });
}

TEST_P(DeviceRx, a_batch_takes_no_more_than_its_maximum) {
  FakeNic nic(sink());
  receive_frames(nic, 11);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    for (const std::uint32_t first : {0U, 5U}) {
      const RxBatch batch = rx.receive(block, 5);
      EXPECT_EQ(batch.count, 5U);
      expect_frames(block, rx, batch, first);
    }
    EXPECT_EQ(rx.receive(block, 5).count, 1U);
  });
}

TEST_P(DeviceRx, a_partial_batch_is_delivered_without_waiting) {
  FakeNic nic(sink());
  receive_frames(nic, 3);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    EXPECT_EQ(batch.count, 3U);
    expect_frames(block, rx, batch, 0);
  });
}

TEST_P(DeviceRx, ready_says_whether_receive_finds_something) {
  for (const std::uint64_t rx_cq_start : {0U, 16U, 40U}) {
    FakeNic nic(sink({.rx_cq_start = rx_cq_start}));
    run_block(GetParam(), [&](HostBlock& block) {
      RxQueue rx(block, nic.stream().rx);
      EXPECT_FALSE(rx.ready());
      block.sync();
      if (block.rank() == 0) receive_frames(nic, 1);
      block.sync();
      EXPECT_TRUE(rx.ready());
      EXPECT_EQ(rx.receive(block, 8).count, 1U);
      EXPECT_FALSE(rx.ready());
    });
  }
}

TEST_P(DeviceRx, threads_that_took_no_part_go_on_from_what_the_others_say) {
  FakeNic nic(sink());
  receive_frames(nic, 9);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue takes_part(block, nic.stream().rx);
    RxQueue waits(block, nic.stream().rx);
    EXPECT_EQ(takes_part.receive(block, 5).count, 5U);
    block.sync();
    waits.join(takes_part.state());
    EXPECT_EQ(waits.kept(), 5U);
    const RxBatch batch = waits.receive(block, 8);
    EXPECT_EQ(batch.count, 4U);
    expect_frames(block, waits, batch, 5);
  });
}

TEST_P(DeviceRx, each_field_of_a_packet_is_read_from_its_place) {
  FakeNic nic(sink());
  const std::uint8_t byte = 0x5a;
  nic.receive({&byte, 1},
              {.timestamp = 0x0123456789abcdef,
               .rss_hash = 0xdeadbeef,
               .rss_type = 0x0a,
               .flow_tag = 0xabcdef,
               .header_type_bits = 0x0601,  // PRM: bit 10 L4 ok, 9 L3 ok, 0 VLAN stripped
               .vlan_tci = 0x6123});
  nic.receive({&byte, 1}, {.header_type_bits = 0x0200});
  nic.receive({&byte, 1}, {.header_type_bits = 0x0400});
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    ASSERT_EQ(batch.count, 3U);
    if (block.rank() != 0) return;  // the rest is for one thread, and no collective
    const Packet packet = rx.packet(batch, 0);
    EXPECT_EQ(packet.length(), 1U);
    EXPECT_EQ(*packet.data(), byte);
    EXPECT_EQ(packet.timestamp(), 0x0123456789abcdefU);
    EXPECT_TRUE(packet.has_rss_hash());
    EXPECT_EQ(packet.rss_hash(), 0xdeadbeefU);
    EXPECT_TRUE(packet.has_flow_mark());
    EXPECT_EQ(packet.flow_mark(), 0xefcdaaU);  // 0xab is the lowest byte
    EXPECT_TRUE(packet.l3_checksum_ok());
    EXPECT_TRUE(packet.l4_checksum_ok());
    EXPECT_TRUE(packet.vlan_stripped());
    EXPECT_EQ(packet.vlan_tci(), 0x6123U);

    const Packet only_l3 = rx.packet(batch, 1);
    EXPECT_FALSE(only_l3.has_rss_hash());
    EXPECT_FALSE(only_l3.has_flow_mark());
    EXPECT_TRUE(only_l3.l3_checksum_ok());
    EXPECT_FALSE(only_l3.l4_checksum_ok());
    EXPECT_FALSE(only_l3.vlan_stripped());
    EXPECT_FALSE(rx.packet(batch, 2).l3_checksum_ok());
    EXPECT_TRUE(rx.packet(batch, 2).l4_checksum_ok());
  });
}

TEST_P(DeviceRx, each_packet_of_a_split_queue_has_its_two_parts) {
  constexpr std::uint32_t kSplitAt = 64;
  FakeNic nic(sink({.split_at = kSplitAt}));
  const std::vector<std::uint32_t> lengths = {14, kSplitAt - 1, kSplitAt, kSplitAt + 1,
                                              kSplitAt + 256};
  for (const std::uint32_t length : lengths) {
    std::vector<std::uint8_t> frame(length);
    for (std::uint32_t i = 0; i < length; ++i) frame[i] = static_cast<std::uint8_t>(i);
    nic.receive(frame);
  }
  run_block(GetParam(), [&](HostBlock& block) {
    SplitRxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    ASSERT_EQ(batch.count, lengths.size());
    for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
      const SplitPacket packet = rx.take(batch, i);
      EXPECT_EQ(packet.length(), lengths[i]);
      EXPECT_EQ(packet.header_length(), std::min(lengths[i], kSplitAt));
      EXPECT_EQ(packet.payload_length(), lengths[i] - packet.header_length());
      for (std::uint32_t k = 0; k < packet.header_length(); ++k) {
        ASSERT_EQ(packet.data()[k], static_cast<std::uint8_t>(k));
      }
      for (std::uint32_t k = 0; k < packet.payload_length(); ++k) {
        ASSERT_EQ(packet.payload()[k], static_cast<std::uint8_t>(packet.header_length() + k));
      }
    }
  });
}

// The record's 16 bits, the CQ's 24, and 32 for good measure.
TEST_P(DeviceRx, rings_and_counters_wrap) {
  for (const std::uint32_t bits : {5U, 16U, 24U, 32U}) {
    for (const std::uint32_t log_cq : {4U, 6U}) {
      // A queue that was recovered counts its CQEs from another number than its packets.
      const std::uint64_t start = (std::uint64_t{1} << bits) - 21;
      FakeNic nic(
          sink({.log_rx_cq = log_cq, .rx_start = start, .rx_cq_start = start - (log_cq & 2)}));
      for (std::uint32_t sent = 0; sent < 70; sent += 7) {
        receive_frames(nic, 7, sent);
        // A new kernel each time: the state carries it over.
        run_block(GetParam(), [&](HostBlock& block) {
          RxQueue rx(block, nic.stream().rx);
          const RxBatch batch = rx.receive(block, 16);
          ASSERT_EQ(batch.count, 7U) << bits << " bits, at " << sent;
          expect_frames(block, rx, batch, sent);
          take_all(block, rx, batch);
          release_all(block, rx, batch);
        });
        EXPECT_EQ(nic.released(), start + sent + 7);
      }
    }
  }
}

TEST_P(DeviceRx, a_slot_held_keeps_back_those_after_it) {
  FakeNic nic(sink());
  receive_frames(nic, 6);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    ASSERT_EQ(batch.count, 6U);
    take_all(block, rx, batch);
    const auto let_go = [&](std::uint32_t i) {
      if (block.rank() == 0) rx.release(rx.packet(batch, i).slot());
      block.sync();
      rx.give_back(block);
      block.sync();
    };
    const auto expect_released = [&](std::uint64_t slots) {
      if (block.rank() == 0) {
        EXPECT_EQ(nic.released(), slots);
      }
      block.sync();
    };
    for (const std::uint32_t i : {5U, 1U, 2U}) let_go(i);
    expect_released(0);
    let_go(0);
    expect_released(3);
    let_go(4);
    expect_released(3);
    let_go(3);
    expect_released(6);
  });
}

TEST_P(DeviceRx, completions_are_given_back_though_slots_are_held) {
  FakeNic nic(sink());
  receive_frames(nic, 4);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 8);
    EXPECT_EQ(batch.count, 4U);
    take_all(block, rx, batch);
    rx.give_back(block);
  });
  EXPECT_EQ(nic.released(), 0U);
  EXPECT_EQ(nic.rx_cq_consumed(), 4U);
  EXPECT_EQ(nic.slots_held(), 4U);
}

TEST_P(DeviceRx, a_ring_whose_slots_are_all_held_receives_nothing_until_one_is_free) {
  FakeNic nic(sink());
  receive_frames(nic, 16);
  EXPECT_FALSE(nic.can_receive());
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch batch = rx.receive(block, 64);
    ASSERT_EQ(batch.count, 16U);
    take_all(block, rx, batch);
    EXPECT_EQ(rx.receive(block, 64).count, 0U);
    if (block.rank() == 0) rx.release(rx.packet(batch, 0).slot());
    block.sync();
    rx.give_back(block);
  });
  EXPECT_TRUE(nic.can_receive());
  receive_frames(nic, 1, 99);
  EXPECT_FALSE(nic.can_receive());
}

TEST_P(DeviceRx, an_error_about_one_packet_costs_that_packet_only) {
  for (const int syndrome : {0x01, 0x06, 0x10, 0x11, 0x13}) {
    FakeNic nic(sink());
    receive_frames(nic, 2);
    nic.receive_error(static_cast<std::uint8_t>(syndrome));
    receive_frames(nic, 2, 3);
    run_block(GetParam(), [&](HostBlock& block) {
      RxQueue rx(block, nic.stream().rx);
      const RxBatch batch = rx.receive(block, 8);
      EXPECT_EQ(batch.count, 5U);
      EXPECT_FALSE(batch.stopped);
      for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
        EXPECT_EQ(rx.is_packet(batch, i), i != 2);
      }
      take_all(block, rx, batch);
      EXPECT_EQ(nic.slots_held(), 5U);
      block.sync();
      release_all(block, rx, batch);
    });
    EXPECT_EQ(nic.released(), 5U);
  }
}

TEST_P(DeviceRx, an_error_that_stops_the_queue_ends_the_batch_and_is_named) {
  for (const int syndrome : {0x02, 0x04, 0x05}) {
    FakeNic nic(sink());
    receive_frames(nic, 3);
    nic.receive_error(static_cast<std::uint8_t>(syndrome), 0xf9);
    nic.receive_error(0x05);
    run_block(GetParam(), [&](HostBlock& block) {
      RxQueue rx(block, nic.stream().rx);
      const RxBatch batch = rx.receive(block, 8);
      EXPECT_EQ(batch.count, 3U);
      EXPECT_TRUE(batch.stopped);
      expect_frames(block, rx, batch, 0);
      const QueueError error = rx.stop_error(batch);
      EXPECT_EQ(error.syndrome, syndrome);
      EXPECT_EQ(error.vendor, 0xf9);
      EXPECT_EQ(error.wqe_counter, 3U);
    });
  }
}

TEST_P(DeviceRx, a_stop_behind_the_maximum_is_found_by_the_next_batch) {
  FakeNic nic(sink());
  receive_frames(nic, 3);
  nic.receive_error(0x04);
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    const RxBatch full = rx.receive(block, 3);
    EXPECT_EQ(full.count, 3U);
    EXPECT_FALSE(full.stopped);
    const RxBatch none = rx.receive(block, 3);
    EXPECT_EQ(none.count, 0U);
    EXPECT_TRUE(none.stopped);
  });
}

TEST_P(DeviceRx, an_opcode_that_no_receive_queue_has_stops_it) {
  FakeNic nic(sink());
  nic.receive_error(0, 0, 0x0);  // a send completion
  run_block(GetParam(), [&](HostBlock& block) {
    RxQueue rx(block, nic.stream().rx);
    EXPECT_TRUE(rx.receive(block, 3).stopped);
  });
}

}  // namespace
}  // namespace ringside::test
