// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a scope may expect of its sends, whoever it is and whoever else might use the queue, against
// the fake NIC.
#include <gtest/gtest.h>

#include "tests/unit/send_rig.hpp"

namespace ringside::test {
namespace {

class DeviceSend : public SendTest {
 protected:
  /// Calls body(scope, queue) in each thread of a scope.
  template <class Body>
  void run(SendRig& rig, Body body) {
    run_scope(rig, GetParam(), body);
  }
  /// The same beside a NIC that serves all the while.
  template <class Body>
  void run_beside_nic(SendRig& rig, Body body) {
    std::atomic<bool> done{false};
    std::jthread sender([&] {
      run(rig, body);
      done = true;
    });
    EXPECT_TRUE(step_until([&] { return done.load(); }, [&] { rig.serve(); }));
  }
};

std::vector<Senders> all_senders() {
  std::vector<Senders> all;
  for (const Sharing sharing : {Sharing::kExclusive, Sharing::kBlock, Sharing::kGpu}) {
    all.push_back({sharing, ScopeKind::kThread, 1});
    all.push_back({sharing, ScopeKind::kWarp, 32});
    for (const std::uint32_t threads : {1, 32, 256}) {
      all.push_back({sharing, ScopeKind::kBlock, threads});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(senders, DeviceSend, testing::ValuesIn(all_senders()), name_of_senders);

/// Packets of lengths first, first + 1, ...
auto packets(SendRig& rig, std::uint32_t first) {
  return [&rig, first](std::uint32_t i) { return TxPacket{rig.buffer(i), first + i}; };
}

TEST_P(DeviceSend, a_send_is_one_batch_with_one_doorbell_and_one_cqe) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch sent = queue.send(scope, 5, packets(rig, 20), 0);
    EXPECT_EQ(sent.status, TxStatus::kOk);
    EXPECT_EQ(sent.ticket(), 5U);
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
  run(rig, [&](auto& scope, auto& queue) {
    EXPECT_EQ(queue.send(scope, 10, packets(rig, 20), 0).status, TxStatus::kOk);
    EXPECT_EQ(queue.send(scope, 7, packets(rig, 40), 0).status, TxStatus::kFull);
    EXPECT_EQ(queue.send(scope, 6, packets(rig, 60), 0).status, TxStatus::kOk);
    EXPECT_EQ(queue.send(scope, 1, packets(rig, 80), 0).status, TxStatus::kFull);
  });
  EXPECT_EQ(rig.nic.read_sends(), 16U);
  EXPECT_EQ(rig.nic.sent()[10].bytes.size(), 60U);
}

TEST_P(DeviceSend, a_batch_larger_than_the_ring_never_fits) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    EXPECT_EQ(queue.send(scope, 17, packets(rig, 20), kSecond / 100).status, TxStatus::kFull);
  });
  EXPECT_EQ(rig.nic.read_sends(), 0U);
}

TEST_P(DeviceSend, a_full_ring_is_waited_for) {
  SendRig rig({});
  run_beside_nic(rig, [&](auto& scope, auto& queue) {
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
      ASSERT_EQ(queue.send(scope, 11, packets(rig, 20 + turn), kEver).status, TxStatus::kOk);
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
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch sent = queue.send(scope, 16, packets(rig, 20), 0);
    const std::uint64_t start = scope.now_ns();
    EXPECT_EQ(queue.send(scope, 1, packets(rig, 40), kSecond / 50).status, TxStatus::kFull);
    EXPECT_EQ(queue.poll_at(scope, sent.ticket(), kSecond / 50), TxStatus::kPending);
    // Rank 0 is the one that waits; others may have come late.
    if (scope.rank() == 0) {
      EXPECT_GE(scope.now_ns() - start, kSecond / 25);
    }
  });
}

TEST_P(DeviceSend, wait_returns_when_all_before_its_index_are_sent) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch first = queue.send(scope, 3, packets(rig, 20), 0);
    const TxBatch second = queue.send(scope, 4, packets(rig, 30), 0);
    scope.sync();
    if (scope.rank() == 0) {
      rig.nic.read_sends();
      rig.nic.complete_sends(3);
    }
    scope.sync();
    EXPECT_EQ(queue.poll_at(scope, first.ticket(), 0), TxStatus::kOk);
    EXPECT_EQ(queue.poll_at(scope, second.ticket(), 0), TxStatus::kPending);
    if (scope.rank() == 0) rig.nic.complete_sends();
    scope.sync();
    EXPECT_EQ(queue.poll_at(scope, second.ticket(), 0), TxStatus::kOk);
  });
}

TEST_P(DeviceSend, rings_and_counters_wrap) {
  for (const std::uint32_t bits : {4U, 16U, 24U, 32U}) {
    const std::uint64_t end = std::uint64_t{1} << bits;
    SendRig rig({.log_tx_cq = 5, .tx_start = end - 13, .tx_cq_start = end - 3});
    run_beside_nic(rig, [&](auto& scope, auto& queue) {
      for (std::uint32_t turn = 0; turn < 16; ++turn) {
        const TxBatch sent = queue.send(scope, 3, packets(rig, 20 + turn), kEver);
        ASSERT_EQ(sent.status, TxStatus::kOk) << bits << " bits";
        ASSERT_EQ(sent.ticket(), end - 13 + 3 * (turn + 1));
        ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
      }
    });
    ASSERT_EQ(rig.nic.sent().size(), 48U);
    for (std::uint32_t i = 0; i < 48; ++i) {
      EXPECT_EQ(rig.nic.sent()[i].bytes.size(), 20 + i / 3 + i % 3);
    }
    EXPECT_EQ(rig.nic.tx_cq_consumed(), end - 3 + 16);
  }
}

TEST_P(DeviceSend, an_error_stops_the_queue_and_is_named) {
  SendRig rig({.tx_start = 0xfffe});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch first = queue.send(scope, 3, packets(rig, 32), 0);
    const TxBatch second = queue.send(scope, 6, packets(rig, 35), 0);
    scope.sync();
    if (scope.rank() == 0) {
      rig.nic.read_sends();
      rig.nic.complete_sends(4);
      rig.nic.fail_send(0x04, 0x51);
    }
    scope.sync();
    EXPECT_EQ(queue.poll_at(scope, first.ticket(), 0), TxStatus::kOk);
    EXPECT_EQ(queue.poll_at(scope, second.ticket(), kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.send(scope, 16, packets(rig, 35), kEver).status, TxStatus::kStopped);
    EXPECT_EQ(queue.poll_at(scope, second.ticket(), kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.stop_error().syndrome, 0x04);
    EXPECT_EQ(queue.stop_error().vendor, 0x51);
    EXPECT_EQ(queue.stop_error().wqe_counter, 0x0002);
  });
}

/// Lets the NIC complete `count` sends between two barriers.
template <class S>
void complete(SendRig& rig, S& scope, std::uint32_t count) {
  scope.sync();
  if (scope.rank() == 0) {
    rig.nic.read_sends();
    rig.nic.complete_sends(count);
  }
  scope.sync();
}

TEST_P(DeviceSend, slots_that_are_reserved_are_sent_when_they_are_committed) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch batch = queue.reserve(scope, 4, 0);
    ASSERT_EQ(batch.status, TxStatus::kOk);
    for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
      queue.write(batch, i, {rig.buffer(i), 20 + i});
    }
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(rig.nic.read_sends(), 0U);
    }
    scope.sync();
    queue.commit(scope, batch);
    EXPECT_EQ(queue.reserve(scope, 13, 0).status, TxStatus::kFull);
  });
  ASSERT_EQ(rig.nic.read_sends(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rig.nic.sent()[i].bytes.size(), 20 + i);
    EXPECT_EQ(rig.nic.sent()[i].wants_cqe, i == 3);
  }
}

TEST_P(DeviceSend, a_chosen_packet_asks_for_the_cqe_and_is_known_to_be_sent_first) {
  SendRig rig({.log_tx = 5, .log_tx_cq = 5, .batches_ask = false});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch batch = queue.send(scope, 6, packets(rig, 20), 0, TxNotify::packet(2));
    complete(rig, scope, 2);
    EXPECT_EQ(queue.poll_last(scope, 0), TxStatus::kPending);
    complete(rig, scope, 4);
    EXPECT_EQ(queue.poll_at(scope, batch.ticket(2), 0), TxStatus::kOk);
    EXPECT_EQ(queue.poll_last(scope, 0), TxStatus::kOk);
    EXPECT_EQ(queue.poll_at(scope, batch.ticket(), 0), TxStatus::kPending);
    EXPECT_EQ(queue.completed(), 3U);
  });
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(rig.nic.sent()[i].wants_cqe, i == 2);
}

TEST_P(DeviceSend, a_batch_that_asks_for_nothing_is_known_to_be_sent_by_the_next_that_does) {
  SendRig rig({.log_tx = 5, .log_tx_cq = 5, .batches_ask = false});
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch silent = queue.send(scope, 3, packets(rig, 20), 0, TxNotify::none());
    complete(rig, scope, 3);
    EXPECT_EQ(queue.poll_last(scope, 0), TxStatus::kOk);  // asked for nothing: nothing to await
    EXPECT_EQ(queue.poll_at(scope, silent.ticket(), 0), TxStatus::kPending);
    queue.send(scope, 2, packets(rig, 20), 0);
    complete(rig, scope, 2);
    EXPECT_EQ(queue.poll_at(scope, silent.ticket(), 0), TxStatus::kOk);
  });
}

TEST_P(DeviceSend, a_ring_whose_batches_ask_for_nothing_comes_free_all_the_same) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{0xfffb}}) {
    SendRig rig({.tx_start = start, .tx_cq_start = (1U << 24) - 2, .batches_ask = false});
    run_beside_nic(rig, [&](auto& scope, auto& queue) {
      for (std::uint32_t turn = 0; turn < 40; ++turn) {
        ASSERT_EQ(queue.send(scope, 1 + turn % 8, packets(rig, 20), kEver, TxNotify::none()).status,
                  TxStatus::kOk);
      }
    });
    rig.serve();
    EXPECT_EQ(rig.nic.sent().size(), 180U);
    std::uint32_t cqes = 0;
    for (const SentFrame& frame : rig.nic.sent()) cqes += frame.wants_cqe;
    EXPECT_GE(cqes, 180U / 8 - 1);
    EXPECT_LE(cqes, 180U / 8 + 1);
  }
}

TEST_P(DeviceSend, poll_one_takes_one_cqe_and_poll_all_the_rest) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    for (std::uint32_t turn = 0; turn < 4; ++turn) queue.send(scope, 3, packets(rig, 20), 0);
    EXPECT_EQ(queue.poll_one(scope, 0), TxStatus::kPending);
    complete(rig, scope, 12);
    EXPECT_EQ(queue.poll_one(scope, 0), TxStatus::kOk);
    scope.sync();
    EXPECT_EQ(queue.completed(), 3U);
    scope.sync();
    EXPECT_EQ(queue.poll_all(scope, 0), TxStatus::kOk);
    EXPECT_EQ(queue.completed(), 12U);
    EXPECT_EQ(queue.poll_all(scope, 0), TxStatus::kPending);
  });
  EXPECT_EQ(rig.nic.tx_cq_consumed(), 4U);
}

TEST_P(DeviceSend, polls_wait_until_their_deadline) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    queue.send(scope, 3, packets(rig, 20), 0);
    const std::uint64_t start = scope.now_ns();
    EXPECT_EQ(queue.poll_one(scope, kSecond / 50), TxStatus::kPending);
    EXPECT_EQ(queue.poll_all(scope, kSecond / 50), TxStatus::kPending);
    EXPECT_EQ(queue.poll_last(scope, kSecond / 50), TxStatus::kPending);
    if (scope.rank() == 0) {
      EXPECT_GE(scope.now_ns() - start, 3 * (kSecond / 50));
    }
  });
}

TEST_P(DeviceSend, polls_wait_for_what_the_nic_completes) {
  SendRig rig({});
  run_beside_nic(rig, [&](auto& scope, auto& queue) {
    for (std::uint32_t turn = 0; turn < 10; ++turn) {
      ASSERT_EQ(queue.send(scope, 2, packets(rig, 20), kEver).status, TxStatus::kOk);
      ASSERT_EQ(turn % 2 == 0 ? queue.poll_one(scope, kEver) : queue.poll_all(scope, kEver),
                TxStatus::kOk);
      ASSERT_EQ(queue.poll_last(scope, 0), TxStatus::kOk);
    }
  });
}

TEST_P(DeviceSend, polls_say_that_the_queue_has_stopped) {
  SendRig rig({});
  run(rig, [&](auto& scope, auto& queue) {
    for (std::uint32_t turn = 0; turn < 3; ++turn) queue.send(scope, 2, packets(rig, 20), 0);
    complete(rig, scope, 2);
    scope.sync();
    if (scope.rank() == 0) rig.nic.fail_send(0x02);
    scope.sync();
    EXPECT_EQ(queue.poll_one(scope, 0), TxStatus::kOk);
    EXPECT_EQ(queue.poll_one(scope, kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.poll_all(scope, kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.poll_last(scope, kEver), TxStatus::kStopped);
    EXPECT_EQ(queue.completed(), 2U);
    EXPECT_EQ(queue.stop_error().syndrome, 0x02);
  });
}

/// What one thread of a scope does is tested with one thread.
class DeviceSendOfAThread : public DeviceSend {};
INSTANTIATE_TEST_SUITE_P(senders, DeviceSendOfAThread,
                         testing::Values(Senders{Sharing::kExclusive, ScopeKind::kThread, 1},
                                         Senders{Sharing::kBlock, ScopeKind::kThread, 1},
                                         Senders{Sharing::kGpu, ScopeKind::kThread, 1}),
                         name_of_senders);

TEST_P(DeviceSendOfAThread, many_completions_are_taken_in_up_to_the_error_among_them) {
  for (const std::uint32_t good : {0U, 1U, 6U, 150U, 199U}) {
    SendRig rig({.log_tx = 8, .log_tx_cq = 8, .tx_cq_start = 1000});
    run(rig, [&](auto& scope, auto& queue) {
      for (std::uint32_t i = 0; i < 200; ++i) queue.send(scope, 1, packets(rig, 20), 0);
      scope.sync();
      if (scope.rank() == 0) {
        EXPECT_EQ(rig.nic.read_sends(), 200U);
        rig.nic.complete_sends(good);
        rig.nic.fail_send(0x04);
      }
      scope.sync();
      EXPECT_EQ(queue.poll_at(scope, good + 1, 0), TxStatus::kStopped);
      EXPECT_EQ(queue.poll_at(scope, good, 0), TxStatus::kOk);
      EXPECT_EQ(queue.stop_error().wqe_counter, good);
    });
    EXPECT_EQ(rig.nic.tx_cq_consumed(), 1000U + good + 1);
  }
}

}  // namespace
}  // namespace ringside::test
