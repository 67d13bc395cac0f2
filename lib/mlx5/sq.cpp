// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/sq.hpp"

namespace ringside::mlx5 {

namespace {

struct ModifySq {
  static constexpr prm::Opcode kModify = prm::Opcode::kModifySq;
  static constexpr std::size_t kInSize = prm::modify_sq_in::kSize;
  static constexpr prm::Field kNumber = prm::modify_sq_in::sqn;
  static constexpr prm::Field kCurrentState = prm::modify_sq_in::sq_state;
  static constexpr prm::Field kNewState = prm::modify_sq_in::ctx / prm::sqc::state;
};

auto sq_command(const SqConfig& config) {
  constexpr prm::Context kSq = prm::create_sq_in::ctx;
  auto in = command<prm::create_sq_in::kSize>(prm::Opcode::kCreateSq);
  in.set(kSq / prm::sqc::flush_in_error_en, 1);
  in.set(kSq / prm::sqc::allow_multi_pkt_send_wqe, config.multi_packet ? 1 : 0);
  in.set(kSq / prm::sqc::min_wqe_inline_mode, static_cast<std::uint32_t>(prm::InlineMode::kNone));
  in.set(kSq / prm::sqc::ts_format, static_cast<std::uint32_t>(config.timestamps));
  in.set(kSq / prm::sqc::cqn, config.cq);
  in.set(kSq / prm::sqc::tis_lst_sz, 1);
  in.set(kSq / prm::sqc::tis_num_0, config.tis);
  set_work_queue(in, kSq / prm::sqc::wq, config.wq);
  return in;
}

}  // namespace

Sq::Sq(const Context& context, const SqConfig& config)
    : object_(context, fmt::format("send queue of {}", 1U << config.wq.log_depth),
              sq_command(config), answer_) {}

prm::QueueState Sq::state() const {
  auto in = command<prm::query_sq_in::kSize>(prm::Opcode::kQuerySq);
  in.set(prm::query_sq_in::sqn, number());
  prm::Mailbox<prm::query_sq_out::kSize> out;
  object_.query(in, out);
  return static_cast<prm::QueueState>(out.get(prm::query_sq_out::sq_context / prm::sqc::state));
}

void Sq::make_ready() {
  modify_state<ModifySq>(object_, number(), prm::QueueState::kReset, prm::QueueState::kReady);
}

void Sq::reset() {
  prm::QueueState now = state();
  if (now == prm::QueueState::kReady) {
    modify_state<ModifySq>(object_, number(), now, prm::QueueState::kError);
    now = prm::QueueState::kError;
  }
  if (now == prm::QueueState::kError) {
    modify_state<ModifySq>(object_, number(), now, prm::QueueState::kReset);
  }
}

}  // namespace ringside::mlx5
