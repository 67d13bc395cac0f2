// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// TxQueue, against the fake NIC.
#include "lib/device/tx.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

using DeviceTx = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceTx);

/// Stands for the receive queue: remembers which slots were let go.
class Slots {
 public:
  void release(std::uint32_t slot) { ++released_.at(slot); }
  std::uint32_t count() const {
    std::uint32_t sum = 0;
    for (const auto& slot : released_) sum += slot;
    return sum;
  }
  std::uint32_t of(std::uint32_t slot) const { return released_.at(slot); }

 private:
  std::vector<std::atomic<std::uint32_t>> released_ = std::vector<std::atomic<std::uint32_t>>(64);
};

/// Sends frames of lengths first, first + 1, ... from the slots of the same number.
void send(HostBlock& block, TxQueue& tx, FakeNic& nic, std::uint32_t count, std::uint32_t first) {
  for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
    const std::uint32_t slot = (first + i) % 16;
    tx.write(i, nic.stream().rx.slot_iova[slot], first + i, slot, i + 1 == count);
  }
  block.sync();
  tx.post(block, count);
  block.sync();
}

/// All that is there: a look takes a few.
TxProgress look(HostBlock& block, const TxQueue& tx) {
  TxProgress seen = tx.progress();
  std::uint64_t consumed = 0;
  do {
    consumed = seen.cq_consumed;
    tx.look(block, seen);
  } while (seen.cq_consumed != consumed);
  return seen;
}

TEST_P(DeviceTx, a_batch_is_posted_in_order_with_one_doorbell) {
  FakeNic nic({});
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    send(block, tx, nic, 5, 20);
  });
  EXPECT_EQ(nic.read_sends(), 5U);
  EXPECT_EQ(nic.doorbells(), 1U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(nic.sent()[i].bytes.size(), 20 + i);
    EXPECT_EQ(nic.sent()[i].wants_cqe, i == 4);
  }
}

TEST_P(DeviceTx, room_is_what_the_nic_has_not_completed) {
  FakeNic nic({});
  Slots slots;
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    EXPECT_EQ(tx.room(), 16U);
    send(block, tx, nic, 6, 20);
    send(block, tx, nic, 10, 26);
    EXPECT_EQ(tx.room(), 0U);
    EXPECT_EQ(tx.in_flight(), 16U);
    EXPECT_EQ(tx.retire(block, look(block, tx), slots), 0U);
    EXPECT_EQ(tx.room(), 0U);
    if (block.rank() == 0) {
      nic.read_sends();
      nic.complete_sends(6);
    }
    EXPECT_EQ(tx.retire(block, look(block, tx), slots), 6U);
    EXPECT_EQ(tx.room(), 6U);
  });
  EXPECT_EQ(nic.tx_cq_consumed(), 1U);
}

TEST_P(DeviceTx, one_cqe_completes_all_wqes_before_it_and_frees_their_slots) {
  FakeNic nic({});
  Slots slots;
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    send(block, tx, nic, 7, 32);
    if (block.rank() == 0) {
      nic.read_sends();
      nic.complete_sends(6);  // only the last asks for a CQE
    }
    EXPECT_EQ(tx.retire(block, look(block, tx), slots), 0U);
    block.sync();
    if (block.rank() == 0) {
      EXPECT_EQ(slots.count(), 0U);
      nic.complete_sends();
    }
    EXPECT_EQ(tx.retire(block, look(block, tx), slots), 7U);
    block.sync();
    for (std::uint32_t slot = 0; slot < 16; ++slot) EXPECT_EQ(slots.of(slot), slot < 7 ? 1U : 0U);
  });
}

TEST_P(DeviceTx, ready_says_whether_look_finds_something) {
  for (const std::uint64_t tx_cq_start : {0U, 16U, 40U}) {
    FakeNic nic({.tx_cq_start = tx_cq_start});
    Slots slots;
    run_block(GetParam(), [&](HostBlock& block) {
      TxQueue tx(nic.stream().tx);
      send(block, tx, nic, 2, 32);
      EXPECT_FALSE(tx.ready());
      block.sync();
      if (block.rank() == 0) {
        nic.read_sends();
        nic.complete_sends();
      }
      block.sync();
      EXPECT_TRUE(tx.ready());
      EXPECT_EQ(tx.retire(block, look(block, tx), slots), 2U);
      EXPECT_FALSE(tx.ready());
    });
  }
}

TEST_P(DeviceTx, a_block_sees_as_much_as_one_thread_and_forgets_nothing_between_looks) {
  FakeNic nic({});
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    for (std::uint32_t batch = 0; batch < 6; ++batch) send(block, tx, nic, 2, 20 + 2 * batch);
    TxProgress seen = tx.progress();
    tx.look(block, seen);
    EXPECT_EQ(seen.completed, 0U);
    block.sync();
    if (block.rank() == 0) {
      EXPECT_EQ(nic.read_sends(), 12U);
      nic.complete_sends();
    }
    block.sync();
    // More CQEs than it looks at, at a time.
    for (int look = 0; look < 3; ++look) tx.look(block, seen);
    EXPECT_EQ(seen.completed, 12U);
    EXPECT_FALSE(seen.stopped);
    EXPECT_EQ(tx.in_flight(), 12U);  // until it is retired
  });
}

TEST_P(DeviceTx, frames_without_a_slot_free_none) {
  FakeNic nic({});
  Slots slots;
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    if (block.rank() == 0) tx.write(0, nic.stream().tx_buffers.iova[0], 60, kNoSlot, true);
    block.sync();
    tx.post(block, 1);
    if (block.rank() == 0) {
      nic.read_sends();
      nic.complete_sends();
    }
    EXPECT_EQ(tx.retire(block, look(block, tx), slots), 1U);
  });
  EXPECT_EQ(slots.count(), 0U);
}

TEST_P(DeviceTx, rings_and_counters_wrap) {
  for (const std::uint32_t bits : {4U, 16U, 24U, 32U}) {
    const std::uint64_t end = std::uint64_t{1} << bits;
    FakeNic nic({.log_tx_cq = 5, .tx_start = end - 13, .tx_cq_start = end - 3});
    Slots slots;
    for (std::uint32_t turn = 0; turn < 40; ++turn) {
      // A new kernel each time: the state carries it over.
      run_block(GetParam(), [&](HostBlock& block) {
        TxQueue tx(nic.stream().tx);
        send(block, tx, nic, 3, 20 + turn);
        if (block.rank() == 0) {
          nic.read_sends();
          nic.complete_sends();
        }
        ASSERT_EQ(tx.retire(block, look(block, tx), slots), 3U) << bits << " bits";
        ASSERT_EQ(tx.room(), 16U);
      });
    }
    ASSERT_EQ(nic.sent().size(), 120U);
    for (std::uint32_t i = 0; i < 120; ++i) {
      EXPECT_EQ(nic.sent()[i].bytes.size(), 20 + i / 3 + i % 3);
    }
    EXPECT_EQ(nic.tx_cq_consumed(), end - 3 + 40);
  }
}

TEST_P(DeviceTx, an_error_stops_the_queue_and_says_what_was_sent_before_it) {
  FakeNic nic({.tx_start = 0xfffe});
  Slots slots;
  run_block(GetParam(), [&](HostBlock& block) {
    TxQueue tx(nic.stream().tx);
    send(block, tx, nic, 3, 32);
    send(block, tx, nic, 6, 35);
    if (block.rank() == 0) {
      nic.read_sends();
      nic.complete_sends(4);
      nic.fail_send(0x04, 0x51);
    }
    const TxProgress progress = look(block, tx);
    EXPECT_TRUE(progress.stopped);
    EXPECT_EQ(progress.completed, 0xfffeU + 4);
    EXPECT_EQ(progress.error.syndrome, 0x04);
    EXPECT_EQ(progress.error.vendor, 0x51);
    EXPECT_EQ(progress.error.wqe_counter, 0x0002);
    EXPECT_EQ(tx.retire(block, progress, slots), 4U);
    EXPECT_EQ(tx.in_flight(), 0U);
  });
  EXPECT_EQ(slots.count(), 9U);  // those that were not sent are free too
}

}  // namespace
}  // namespace ringside::test
