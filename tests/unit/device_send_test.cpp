// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Block-scoped sends, on a queue that one block owns and on one that several share, against the
// fake NIC.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <tuple>
#include <vector>

#include "lib/device/send_queue.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kEver = 60 * kSecond;

/// A NIC and what blocks need to send by it.
class SendRig {
 public:
  explicit SendRig(const FakeNic::Config& config) : nic(config) {
    *shared_ = shared_state(*nic.stream().tx.state);
    batch_end_.resize(std::size_t{1} << config.log_tx);
  }
  TxQueueHandle exclusive() { return nic.stream().tx; }
  SharedTxQueueHandle shared() { return {nic.stream().tx, shared_.get(), batch_end_.data()}; }
  std::uint64_t buffer(std::uint64_t i) {
    const TxBuffers& buffers = nic.stream().tx_buffers;
    return buffers.iova[i % buffers.count];
  }
  /// Reads what was announced and completes it. For step_until().
  void serve() {
    nic.read_sends();
    nic.complete_sends();
  }

  FakeNic nic;

 private:
  std::unique_ptr<TxSharedState> shared_ = std::make_unique<TxSharedState>();
  std::vector<std::uint64_t> batch_end_;
};

/// What both kinds of queue promise, by kind and by threads a block.
class DeviceSend : public testing::TestWithParam<std::tuple<bool, std::uint32_t>> {
 protected:
  /// Calls body(block, queue) in each thread of a block.
  template <class Body>
  void run(SendRig& rig, Body body) {
    const bool shared = std::get<0>(GetParam());
    run_block(std::get<1>(GetParam()), [&](HostBlock& block) {
      if (shared) {
        SendQueue<Sharing::kShared> queue(rig.shared());
        body(block, queue);
      } else {
        SendQueue<Sharing::kExclusive> queue(rig.exclusive());
        body(block, queue);
      }
    });
  }
  /// The same beside a NIC that serves all the while.
  template <class Body>
  void run_beside_nic(SendRig& rig, Body body) {
    std::atomic<bool> done{false};
    std::jthread blocks([&] {
      run(rig, body);
      done = true;
    });
    EXPECT_TRUE(step_until([&] { return done.load(); }, [&] { rig.serve(); }));
  }
};
INSTANTIATE_TEST_SUITE_P(kinds, DeviceSend,
                         testing::Combine(testing::Bool(), testing::Values(1U, 4U, 32U)),
                         [](const auto& kind) {
                           return std::string(std::get<0>(kind.param) ? "shared_" : "exclusive_") +
                                  std::to_string(std::get<1>(kind.param));
                         });

/// Packets of lengths first, first + 1, ...
auto packets(SendRig& rig, std::uint32_t first) {
  return [&rig, first](std::uint32_t i) { return TxPacket{rig.buffer(i), first + i}; };
}

TEST_P(DeviceSend, a_send_is_one_batch_with_one_doorbell_and_one_cqe) {
  SendRig rig({});
  run(rig, [&](HostBlock& block, auto& queue) {
    const TxSend sent = queue.send(block, 5, packets(rig, 20), 0);
    EXPECT_EQ(sent.status, TxStatus::kPosted);
    EXPECT_EQ(sent.end, 5U);
  });
  EXPECT_EQ(rig.nic.read_sends(), 5U);
  EXPECT_EQ(rig.nic.doorbells(), 1U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.nic.sent()[i].bytes.size(), 20 + i);
    EXPECT_EQ(rig.nic.sent()[i].wants_cqe, i == 4);
  }
}

TEST_P(DeviceSend, a_full_ring_is_said_and_nothing_is_written) {
  SendRig rig({});
  run(rig, [&](HostBlock& block, auto& queue) {
    EXPECT_EQ(queue.send(block, 10, packets(rig, 20), 0).status, TxStatus::kPosted);
    EXPECT_EQ(queue.send(block, 7, packets(rig, 40), 0).status, TxStatus::kFull);
    EXPECT_EQ(queue.send(block, 6, packets(rig, 60), 0).status, TxStatus::kPosted);
    EXPECT_EQ(queue.send(block, 1, packets(rig, 80), 0).status, TxStatus::kFull);
  });
  EXPECT_EQ(rig.nic.read_sends(), 16U);
  EXPECT_EQ(rig.nic.sent()[10].bytes.size(), 60U);
}

TEST_P(DeviceSend, a_batch_larger_than_the_ring_never_fits) {
  SendRig rig({});
  run(rig, [&](HostBlock& block, auto& queue) {
    EXPECT_EQ(queue.send(block, 17, packets(rig, 20), kSecond / 100).status, TxStatus::kFull);
  });
  EXPECT_EQ(rig.nic.read_sends(), 0U);
}

TEST_P(DeviceSend, a_full_ring_is_waited_for) {
  SendRig rig({});
  run_beside_nic(rig, [&](HostBlock& block, auto& queue) {
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
      ASSERT_EQ(queue.send(block, 11, packets(rig, 20 + turn), kEver).status, TxStatus::kPosted);
    }
  });
  rig.serve();
  ASSERT_EQ(rig.nic.sent().size(), 220U);
  for (std::uint32_t i = 0; i < 220; ++i) {
    EXPECT_EQ(rig.nic.sent()[i].bytes.size(), 20 + i / 11 + i % 11);
  }
}

TEST_P(DeviceSend, a_stalled_nic_ends_the_wait_at_its_deadline) {
  SendRig rig({});
  run(rig, [&](HostBlock& block, auto& queue) {
    const TxSend sent = queue.send(block, 16, packets(rig, 20), 0);
    const std::uint64_t start = block.now_ns();
    EXPECT_EQ(queue.send(block, 1, packets(rig, 40), kSecond / 50).status, TxStatus::kFull);
    EXPECT_EQ(queue.wait(block, sent.end, kSecond / 50), TxStatus::kFull);
    // Rank 0 is the one that waits; others may have come late.
    if (block.rank() == 0) {
      EXPECT_GE(block.now_ns() - start, kSecond / 25);
    }
  });
}

TEST_P(DeviceSend, wait_returns_when_all_before_its_index_are_sent) {
  SendRig rig({});
  run(rig, [&](HostBlock& block, auto& queue) {
    const TxSend first = queue.send(block, 3, packets(rig, 20), 0);
    const TxSend second = queue.send(block, 4, packets(rig, 30), 0);
    block.sync();
    if (block.rank() == 0) {
      rig.nic.read_sends();
      rig.nic.complete_sends(3);
    }
    block.sync();
    EXPECT_EQ(queue.wait(block, first.end, 0), TxStatus::kPosted);
    EXPECT_EQ(queue.wait(block, second.end, 0), TxStatus::kFull);
    if (block.rank() == 0) rig.nic.complete_sends();
    block.sync();
    EXPECT_EQ(queue.wait(block, second.end, 0), TxStatus::kPosted);
  });
}

TEST_P(DeviceSend, rings_and_counters_wrap) {
  for (const std::uint32_t bits : {4U, 16U, 24U, 32U}) {
    const std::uint64_t end = std::uint64_t{1} << bits;
    SendRig rig({.log_tx_cq = 5, .tx_start = end - 13, .tx_cq_start = end - 3});
    run_beside_nic(rig, [&](HostBlock& block, auto& queue) {
      for (std::uint32_t turn = 0; turn < 40; ++turn) {
        const TxSend sent = queue.send(block, 3, packets(rig, 20 + turn), kEver);
        ASSERT_EQ(sent.status, TxStatus::kPosted) << bits << " bits";
        ASSERT_EQ(sent.end, end - 13 + 3 * (turn + 1));
        ASSERT_EQ(queue.wait(block, sent.end, kEver), TxStatus::kPosted);
      }
    });
    ASSERT_EQ(rig.nic.sent().size(), 120U);
    for (std::uint32_t i = 0; i < 120; ++i) {
      EXPECT_EQ(rig.nic.sent()[i].bytes.size(), 20 + i / 3 + i % 3);
    }
    EXPECT_EQ(rig.nic.tx_cq_consumed(), end - 3 + 40);
  }
}

TEST_P(DeviceSend, an_error_stops_the_queue_and_is_named) {
  SendRig rig({.tx_start = 0xfffe});
  run(rig, [&](HostBlock& block, auto& queue) {
    const TxSend first = queue.send(block, 3, packets(rig, 32), 0);
    const TxSend second = queue.send(block, 6, packets(rig, 35), 0);
    block.sync();
    if (block.rank() == 0) {
      rig.nic.read_sends();
      rig.nic.complete_sends(4);
      rig.nic.fail_send(0x04, 0x51);
    }
    block.sync();
    EXPECT_EQ(queue.wait(block, first.end, 0), TxStatus::kPosted);
    EXPECT_EQ(queue.wait(block, second.end, kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.send(block, 16, packets(rig, 35), kEver).status, TxStatus::kStopped);
    EXPECT_EQ(queue.wait(block, second.end, kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.stop_error().syndrome, 0x04);
    EXPECT_EQ(queue.stop_error().vendor, 0x51);
    EXPECT_EQ(queue.stop_error().wqe_counter, 0x0002);
  });
}

TEST_P(DeviceSend, many_completions_are_taken_in_up_to_the_error_among_them) {
  for (const std::uint32_t good : {0U, 1U, 6U, 150U, 199U}) {
    SendRig rig({.log_tx = 8, .log_tx_cq = 8, .tx_cq_start = 1000});
    run(rig, [&](HostBlock& block, auto& queue) {
      for (std::uint32_t i = 0; i < 200; ++i) queue.send(block, 1, packets(rig, 20), 0);
      block.sync();
      if (block.rank() == 0) {
        EXPECT_EQ(rig.nic.read_sends(), 200U);
        rig.nic.complete_sends(good);
        rig.nic.fail_send(0x04);
      }
      block.sync();
      EXPECT_EQ(queue.wait(block, good + 1, 0), TxStatus::kStopped);
      EXPECT_EQ(queue.wait(block, good, 0), TxStatus::kPosted);
      EXPECT_EQ(queue.stop_error().wqe_counter, good);
    });
    EXPECT_EQ(rig.nic.tx_cq_consumed(), 1000U + good + 1);
  }
}

/// Several blocks on one queue. Each has a buffer of its own, whose first byte names it.
class DeviceSharedSend : public BlockSizes {
 protected:
  static constexpr std::uint32_t kBlocks = 4;

  /// Calls body(poster, block, queue) in each thread of each block, beside a NIC that serves, or
  /// not.
  template <class Body>
  void run(SendRig& rig, bool served, Body body) {
    const TxBuffers& buffers = rig.nic.stream().tx_buffers;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      *reinterpret_cast<std::uint8_t*>(buffers.iova[i] + buffers.view_offset) =
          static_cast<std::uint8_t>(i);
    }
    std::atomic<std::uint32_t> running{kBlocks};
    std::vector<std::jthread> blocks;
    for (std::uint32_t poster = 0; poster < kBlocks; ++poster) {
      blocks.emplace_back([&, poster] {
        run_block(GetParam(), [&](HostBlock& block) {
          SendQueue<Sharing::kShared> queue(rig.shared());
          body(poster, block, queue);
        });
        --running;
      });
    }
    const auto done = [&] { return running.load() == 0; };
    EXPECT_TRUE(served ? step_until(done, [&] { rig.serve(); }) : wait_until(done));
  }
};
RS_FOR_BLOCK_SIZES(DeviceSharedSend);

TEST_P(DeviceSharedSend, no_block_loses_or_reorders_another_ones_packets) {
  constexpr std::uint32_t kLengths = 200;
  constexpr std::uint32_t kBatches = 60;
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{0xff80}}) {
    SendRig rig({.tx_start = start, .tx_cq_start = (1U << 24) - 40, .tx_buffers = kBlocks});
    std::atomic<std::uint32_t> posted[kBlocks] = {};
    run(rig, true, [&](std::uint32_t poster, HostBlock& block, SharedTxQueue& queue) {
      std::uint32_t sequence = 0;
      for (std::uint32_t batch = 0; batch < kBatches; ++batch) {
        const std::uint32_t count = 1 + (batch * 7 + poster * 3) % 16;
        const TxSend sent = queue.send(
            block, count,
            [&](std::uint32_t i) {
              return TxPacket{rig.buffer(poster), 20 + (sequence + i) % kLengths};
            },
            kEver);
        ASSERT_EQ(sent.status, TxStatus::kPosted);
        sequence += count;
        if (batch % 8 == 0) {
          ASSERT_EQ(queue.wait(block, sent.end, kEver), TxStatus::kPosted);
        }
      }
      if (block.rank() == 0) posted[poster] = sequence;
    });
    rig.serve();
    std::uint32_t seen[kBlocks] = {};
    for (const SentFrame& frame : rig.nic.sent()) {
      const std::uint32_t poster = frame.bytes[0];
      ASSERT_EQ(frame.bytes.size(), 20 + seen[poster]++ % kLengths) << "of block " << poster;
    }
    for (std::uint32_t poster = 0; poster < kBlocks; ++poster) {
      EXPECT_EQ(seen[poster], posted[poster]);
    }
  }
}

TEST_P(DeviceSharedSend, a_stalled_nic_ends_every_blocks_wait) {
  SendRig rig({.tx_buffers = kBlocks});
  std::atomic<std::uint32_t> posted{0};
  run(rig, false, [&](std::uint32_t poster, HostBlock& block, SharedTxQueue& queue) {
    TxStatus status = TxStatus::kPosted;
    for (std::uint32_t i = 0; i < 17 && status == TxStatus::kPosted; ++i) {
      status = queue
                   .send(
                       block, 1,
                       [&](std::uint32_t) {
                         return TxPacket{rig.buffer(poster), 60};
                       },
                       kSecond / 50)
                   .status;
      if (block.rank() == 0 && status == TxStatus::kPosted) ++posted;
    }
    EXPECT_EQ(status, TxStatus::kFull);
  });
  EXPECT_EQ(posted, 16U);
  EXPECT_EQ(rig.nic.read_sends(), 16U);
}

TEST_P(DeviceSharedSend, an_error_stops_every_block) {
  SendRig rig({.tx_buffers = kBlocks});
  std::atomic<std::uint32_t> filled{0};
  run(rig, false, [&](std::uint32_t poster, HostBlock& block, SharedTxQueue& queue) {
    const auto packet = [&](std::uint32_t) { return TxPacket{rig.buffer(poster), 60}; };
    EXPECT_EQ(queue.send(block, 4, packet, kEver).status, TxStatus::kPosted);
    block.sync();
    if (block.rank() == 0 && ++filled == kBlocks) {
      rig.nic.read_sends();
      rig.nic.complete_sends(2);
      rig.nic.fail_send(0x02);
    }
    EXPECT_EQ(queue.send(block, 16, packet, kEver).status, TxStatus::kStopped);
    EXPECT_EQ(queue.stop_error().syndrome, 0x02);
  });
}

}  // namespace
}  // namespace ringside::test
