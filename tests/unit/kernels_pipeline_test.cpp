// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The program pipeline where parts of a block have batches in turn, as in a CUDA block.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/pipeline.hpp"
#include "lib/device/host_block.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint32_t kSlotBytes = 64;
constexpr std::uint32_t kLogSlots = 4;

/// Copies every packet, and sends it `to`.
struct Copying {
  explicit Copying(stages::Target to) {
    chain.stages = 1;
    chain.stage[0] = {stages::Op::kSample,
                      to,
                      stages::kDropTarget,
                      true,
                      static_cast<std::uint32_t>(offsetof(Copying, sample)),
                      0};
  }
  stages::Chain chain{};
  stages::SampleParameters sample{1, 16, 0};
};

std::vector<std::uint64_t> orders(const std::uint8_t* slots, std::uint64_t count) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t i = 0; i < count; ++i) {
    stages::SampleHeader header{};
    std::memcpy(&header, slots + i * kSlotBytes, sizeof header);
    found.push_back(header.order);
  }
  std::ranges::sort(found);
  return found;
}

TEST(KernelsPipeline, a_thread_that_had_no_batch_for_a_while_goes_on_where_the_block_is) {
  const Copying first(stages::kSendTarget);
  const Copying second(stages::kConsumeTarget);
  PipelineControl control{&first.chain};
  PipelineStatus status{};
  stages::StageCounters told{}, here{};
  std::uint64_t word = 0;
  stages::SampleRingState ring_state{};
  stages::SampleRingWords words{};
  alignas(16) std::array<std::uint8_t, std::size_t{kSlotBytes} << kLogSlots> slots{};
  const PipelineArgs own{&control,
                         &status,
                         &told,
                         &here,
                         &word,
                         &ring_state,
                         {&words, slots.data(), kSlotBytes, kLogSlots},
                         0};
  ProgramArgs program{};
  program.own = &own;
  const Cqe cqe{};
  std::array<std::array<std::uint8_t, 64>, 2> frames{};
  HostBlockTeam front_team(1);
  HostBlockTeam workers_team(2);
  std::array<Verdict, 2> last{};

  run_block(2, [&](HostBlock& block) {
    const std::uint32_t rank = block.rank();
    PipelineState<HostBlock> state(block, program);
    HostBlock front(front_team, 0);
    HostBlock workers(workers_team, rank);
    const Packet packet(&cqe, reinterpret_cast<std::uintptr_t>(frames[rank].data()), 0, rank, 64);
    const auto batch = [&](HostBlock& group) {
      state.begin_batch(group);
      last[rank] = state.process(packet, rank);
      state.end_batch(group);
    };
    batch(workers);
    block.sync();
    if (rank == 0) {
      store_release_system(&control.chain, &second.chain);
      batch(front);  // its look at the chain may be from before
      batch(front);
      EXPECT_EQ(last[0], Verdict::kConsume);
    } else {
      EXPECT_EQ(last[1], Verdict::kSend);
    }
    block.sync();
    batch(workers);
  });

  EXPECT_EQ(last[0], Verdict::kConsume);
  EXPECT_EQ(last[1], Verdict::kConsume);
  EXPECT_EQ(status.chain, &second.chain);
  EXPECT_EQ(told.on, 6U);
  EXPECT_EQ(told.on_bytes, 6U * 64);
  EXPECT_EQ(words.head, 6U);
  constexpr auto kOrder = [](std::uint64_t batch, std::uint64_t i) { return batch << 32 | i; };
  EXPECT_EQ(orders(slots.data(), 6), (std::vector{kOrder(1, 0), kOrder(1, 1), kOrder(2, 0),
                                                  kOrder(3, 0), kOrder(4, 0), kOrder(4, 1)}));
}

}  // namespace
}  // namespace ringside::test
