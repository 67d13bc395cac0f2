// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// States of queues, and what they mean for the engine thread.
#include "lib/softcx/cmd/queue_state.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kReset = 0, kReady = 1, kError = 3;

class SoftcxState : public CommandTest {
 protected:
  SoftcxState() : sqn(run(sq_command()).id()), rqn(run(rq_command()).id()) {}

  Answer move_sq(std::uint32_t from, std::uint32_t to) {
    auto in = command<prm::modify_sq_in::kSize>(Opcode::kModifySq, sqn);
    in.set(prm::modify_sq_in::sq_state, from);
    in.set(prm::modify_sq_in::ctx / prm::sqc::state, to);
    return run(in);
  }
  Answer move_rq(std::uint32_t from, std::uint32_t to) {
    auto in = command<prm::modify_rq_in::kSize>(Opcode::kModifyRq, rqn);
    in.set(prm::modify_rq_in::rq_state, from);
    in.set(prm::modify_rq_in::ctx / prm::rqc::state, to);
    return run(in);
  }
  /// Both queues, from reset, through the states given; each step must be done.
  void bring_to(std::initializer_list<std::uint32_t> states) {
    std::uint32_t from = kReset;
    for (const std::uint32_t to : states) {
      EXPECT_DONE(move_sq(from, to));
      EXPECT_DONE(move_rq(from, to));
      from = to;
    }
  }
  Sq& sq() { return *device.sqs.at(sqn); }
  Rq& rq() { return *device.rqs.at(rqn); }

  std::uint32_t sqn, rqn;
};

TEST_F(SoftcxState, goes_round_by_error) {
  bring_to({kReady, kError, kReset, kReady});
  EXPECT_EQ(sq().state.load(), QueueState::kReady);
  EXPECT_EQ(rq().state.load(), QueueState::kReady);
}

TEST_F(SoftcxState, ready_queue_can_be_reset_directly) {
  bring_to({kReady, kReset});
}

TEST_F(SoftcxState, reset_queue_has_no_error_to_go_to) {
  EXPECT_REFUSED(move_sq(kReset, kError), kBadResourceState, kTransitionForbidden);
  EXPECT_REFUSED(move_rq(kReset, kError), kBadResourceState, kTransitionForbidden);
}

TEST_F(SoftcxState, failed_queue_must_be_reset_before_it_is_ready) {
  bring_to({kReady, kError});
  EXPECT_REFUSED(move_sq(kError, kReady), kBadResourceState, kTransitionForbidden);
  EXPECT_REFUSED(move_rq(kError, kReady), kBadResourceState, kTransitionForbidden);
}

TEST_F(SoftcxState, state_that_does_not_exist_is_refused) {
  EXPECT_REFUSED(move_sq(kReset, 2), kBadResourceState, kTransitionForbidden);
}

TEST_F(SoftcxState, queue_that_is_not_there_has_no_state) {
  sqn = rqn = 0xbad;
  EXPECT_REFUSED(move_sq(kReset, kReady), kBadResource, kNoSuchSq);
  EXPECT_REFUSED(move_rq(kReset, kReady), kBadResource, kNoSuchRq);
  EXPECT_REFUSED(run(command(Opcode::kQuerySq, sqn)), kBadResource, kNoSuchSq);
  EXPECT_REFUSED(run(command(Opcode::kDestroyRq, rqn)), kBadResource, kNoSuchRq);
}

TEST_F(SoftcxState, wrong_idea_of_the_current_state_is_refused) {
  EXPECT_REFUSED(move_sq(kReady, kError), kBadResourceState, kCurrentStateWrong);
  EXPECT_REFUSED(move_rq(kReady, kError), kBadResourceState, kCurrentStateWrong);
  EXPECT_EQ(sq().state.load(), QueueState::kReset);
}

TEST_F(SoftcxState, error_that_the_engine_found_is_the_current_state) {
  bring_to({kReady});
  sq().state.store(QueueState::kError);
  EXPECT_REFUSED(move_sq(kReady, kReset), kBadResourceState, kCurrentStateWrong);
  EXPECT_DONE(move_sq(kError, kReset));
}

TEST_F(SoftcxState, error_found_while_a_ready_queue_is_made_ready_again_stays) {
  bring_to({kReady});
  // What the engine does between MODIFY_SQ's look at the state and what it does about it.
  sq().state.store(QueueState::kError);
  change_state(device, sq(), QueueState::kReady, QueueState::kReady);
  EXPECT_EQ(sq().state.load(), QueueState::kError);
}

TEST_F(SoftcxState, engine_is_awaited_before_indices_are_reset) {
  bring_to({kReady});
  sq().consumer = 5;
  rq().consumer = 6;
  rq().strides.used = 7;
  const int before = engine.synchronized;
  EXPECT_DONE(move_sq(kReady, kReset));
  EXPECT_DONE(move_rq(kReady, kReset));
  EXPECT_EQ(engine.synchronized, before + 2);
  EXPECT_EQ(sq().consumer, 0);
  EXPECT_EQ(rq().consumer, 0);
  EXPECT_EQ(rq().strides.used, 0U) << "of a buffer that the driver posts anew";
}

TEST_F(SoftcxState, indices_stay_in_error) {
  bring_to({kReady});
  sq().consumer = 5;
  EXPECT_DONE(move_sq(kReady, kError));
  EXPECT_EQ(sq().consumer, 5);
}

TEST_F(SoftcxState, ready_queue_wakes_the_engine) {
  const int before = engine.woken;
  bring_to({kReady});
  EXPECT_EQ(engine.woken, before + 2);
}

TEST_F(SoftcxState, queries_tell_the_state) {
  bring_to({kReady});
  EXPECT_EQ(
      run(command(Opcode::kQuerySq, sqn)).get(prm::query_sq_out::sq_context / prm::sqc::state),
      kReady);
  EXPECT_EQ(
      run(command(Opcode::kQueryRq, rqn)).get(prm::query_rq_out::rq_context / prm::rqc::state),
      kReady);
}

TEST_F(SoftcxState, query_tells_an_overrun_cq) {
  constexpr prm::Field kStatus = prm::query_cq_out::cq_context / prm::cqc::status;
  EXPECT_EQ(run(command(Opcode::kQueryCq, cq)).get(kStatus), 0U);
  device.cqs.at(cq)->failed.store(true);
  EXPECT_EQ(run(command(Opcode::kQueryCq, cq)).get(kStatus), 9U);
}

TEST_F(SoftcxState, attributes_beside_the_state_cannot_change) {
  auto in = command<prm::modify_rq_in::kSize>(Opcode::kModifyRq, rqn);
  in.set(prm::modify_rq_in::modify_bitmask, prm::modify_rq_in::kScatterFcs);
  EXPECT_REFUSED(run(in), kBadParameter, kModifyUnsupported);
}

TEST_F(SoftcxState, vlan_stripping_is_switched_while_the_queue_runs) {
  bring_to({kReady});
  auto in = command<prm::modify_rq_in::kSize>(Opcode::kModifyRq, rqn);
  in.set(prm::modify_rq_in::rq_state, kReady);
  in.set(prm::modify_rq_in::ctx / prm::rqc::state, kReady);
  in.set(prm::modify_rq_in::modify_bitmask, prm::modify_rq_in::kVsd);
  EXPECT_DONE(run(in));
  EXPECT_FALSE(rq().vlan_strip_disable.load());
  EXPECT_EQ(rq().state.load(), QueueState::kReady);
}

TEST_F(SoftcxState, destroyed_sq_is_unlinked_before_the_engine_is_awaited) {
  const Uar& page = *device.uar_pages.at(uar);
  const int before = engine.synchronized;
  EXPECT_EQ(destroyed(Opcode::kDestroySq, sqn), Status::kOk);
  EXPECT_TRUE(page.send_queues.load()->empty());
  EXPECT_GT(engine.synchronized, before);
}

}  // namespace
}  // namespace softcx
