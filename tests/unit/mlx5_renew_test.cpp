// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues that are made anew, where the firmware refuses one of the commands: nothing is changed
// then but that the queue is in reset, and another try succeeds.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

#include "lib/base/error.hpp"
#include "tests/unit/queue_pair.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

/// One command that is refused: the next of its kind, or one that comes later.
struct Refusal {
  prm::Opcode opcode;
  unsigned after = 0;
};
std::optional<Refusal> refusal;

bool refuses(const void* in) {
  const auto opcode = static_cast<prm::Opcode>(
      prm::get(static_cast<const std::uint8_t*>(in), prm::command_in::opcode));
  if (!refusal || refusal->opcode != opcode || refusal->after-- != 0) return false;
  refusal.reset();
  return true;
}

}  // namespace

/// In front of libmlx5's, whose part libsoftcx has.
extern "C" mlx5dv_devx_obj* mlx5dv_devx_obj_create(ibv_context* context, const void* in,
                                                   std::size_t in_size, void* out,
                                                   std::size_t out_size) {
  static const auto create = reinterpret_cast<decltype(&mlx5dv_devx_obj_create)>(
      ::dlsym(RTLD_NEXT, "mlx5dv_devx_obj_create"));
  if (!refuses(in)) return create(context, in, in_size, out, out_size);
  errno = EREMOTEIO;
  return nullptr;
}
extern "C" int mlx5dv_devx_obj_modify(mlx5dv_devx_obj* object, const void* in, std::size_t in_size,
                                      void* out, std::size_t out_size) {
  static const auto modify = reinterpret_cast<decltype(&mlx5dv_devx_obj_modify)>(
      ::dlsym(RTLD_NEXT, "mlx5dv_devx_obj_modify"));
  return refuses(in) ? EREMOTEIO : modify(object, in, in_size, out, out_size);
}

namespace {

class Renewal : public QueuePair {
 protected:
  void overrun_send_completions() {
    spoil_cq_record(tx->handle().cq_record, tx->handle().state->cq_consumed);
    KernelRun run("txonly", stream(0), 1);
    ASSERT_TRUE(wait_until([&] { return tx->completions_overrun(); }));
  }
  void overrun_receive_completions() {
    const RxQueueHandle handle = rx->handle();
    spoil_cq_record(handle.cq_record, handle.state->received + handle.cq_offset);
    KernelRun run("txonly", stream(0), 1);
    ASSERT_TRUE(wait_until([&] { return rx->completions_overrun(); }));
  }
  void expect_receive_queue_as_it_was(std::uint32_t number) {
    EXPECT_FALSE(refusal) << "no such command";
    EXPECT_EQ(rx->number(), number);
    EXPECT_EQ(rx->handle().rqn, number);
    EXPECT_TRUE(rx->stopped());
    EXPECT_TRUE(rx->completions_overrun());
  }
  void renew_receive_queue() {
    const mlx5::ReceiveRing::Former former = rx->renew();
    traffic.reset();  // the former queue stays as long as anything leads there
    traffic.emplace(context, rx->number(), transport_domain.number());
    EXPECT_TRUE(traffic->steers());
  }
};

TEST_F(Renewal, of_a_send_queue_changes_nothing_where_a_command_is_refused) {
  for (const Refusal& one : {Refusal{prm::Opcode::kCreateCq}, Refusal{prm::Opcode::kCreateSq}}) {
    expect_traffic(kDepth + 5);
    overrun_send_completions();
    const std::uint32_t number = tx->number();
    refusal = one;
    EXPECT_THROW(tx->recover(), Error);
    EXPECT_FALSE(refusal) << "no such command";
    EXPECT_EQ(tx->number(), number);
    EXPECT_TRUE(tx->stopped());
    EXPECT_TRUE(tx->completions_overrun());
    tx->recover();
    EXPECT_NE(tx->number(), number);
    EXPECT_FALSE(tx->stopped());
  }
  expect_traffic(10 * kDepth);
}

TEST_F(Renewal, of_a_receive_queue_changes_nothing_where_a_command_is_refused) {
  constexpr unsigned kReset = 1;  // comes before, by the same command
  for (const Refusal& one : {Refusal{prm::Opcode::kCreateCq}, Refusal{prm::Opcode::kCreateRq},
                             Refusal{prm::Opcode::kModifyRq, kReset}}) {
    expect_traffic(kDepth + 5);
    overrun_receive_completions();
    const std::uint32_t number = rx->number();
    refusal = one;
    EXPECT_THROW(static_cast<void>(rx->renew()), Error);
    expect_receive_queue_as_it_was(number);
    renew_receive_queue();
    EXPECT_NE(rx->number(), number);
    EXPECT_FALSE(rx->stopped());
  }
  expect_traffic(10 * kDepth);
}

/// As where the rules that would lead to it are refused.
TEST_F(Renewal, of_a_receive_queue_can_be_taken_back_while_packets_are_led_to_the_former_one) {
  expect_traffic(kDepth + 5);
  overrun_receive_completions();
  const std::uint32_t number = rx->number();
  rx->take_back(rx->renew());
  expect_receive_queue_as_it_was(number);
  renew_receive_queue();
  expect_traffic(10 * kDepth);
}

}  // namespace
}  // namespace ringside::test
