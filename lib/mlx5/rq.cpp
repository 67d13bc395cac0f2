// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/rq.hpp"

#include "lib/mlx5/format/striding.hpp"

namespace ringside::mlx5 {

namespace {

struct ModifyRq {
  static constexpr prm::Opcode kModify = prm::Opcode::kModifyRq;
  static constexpr std::size_t kInSize = prm::modify_rq_in::kSize;
  static constexpr prm::Field kNumber = prm::modify_rq_in::rqn;
  static constexpr prm::Field kCurrentState = prm::modify_rq_in::rq_state;
  static constexpr prm::Field kNewState = prm::modify_rq_in::ctx / prm::rqc::state;
};

auto rq_command(const RqConfig& config) {
  constexpr prm::Context kRq = prm::create_rq_in::ctx;
  constexpr prm::Context kWq = kRq / prm::rqc::wq;
  auto in = command<prm::create_rq_in::kSize>(prm::Opcode::kCreateRq);
  in.set(kRq / prm::rqc::vsd, config.strip_vlan ? 0 : 1);
  in.set(kRq / prm::rqc::flush_in_error_en, 1);
  in.set(kRq / prm::rqc::ts_format, static_cast<std::uint32_t>(config.timestamps));
  in.set(kRq / prm::rqc::user_index, config.user_index);
  in.set(kRq / prm::rqc::cqn, config.cq);
  in.set(kRq / prm::rqc::counter_set_id, config.q_counter);
  set_work_queue(in, kWq, config.wq);
  if (config.strides) {
    in.set(kWq / prm::wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclicStriding));
    in.set(kWq / prm::wq::single_wqe_log_num_of_strides,
           stride_count_field(config.strides->log_count));
    in.set(kWq / prm::wq::single_stride_log_num_of_bytes,
           config.strides->log_bytes - kLogStrideBytesBase);
    in.set(kWq / prm::wq::two_byte_shift_en, config.strides->padded ? 1 : 0);
  }
  return in;
}

}  // namespace

Rq::Rq(const Context& context, const RqConfig& config)
    : object_(context, fmt::format("receive queue of {}", 1U << config.wq.log_depth),
              rq_command(config), answer_) {}

prm::QueueState Rq::state() const {
  auto in = command<prm::query_rq_in::kSize>(prm::Opcode::kQueryRq);
  in.set(prm::query_rq_in::rqn, number());
  prm::Mailbox<prm::query_rq_out::kSize> out;
  object_.query(in, out);
  return static_cast<prm::QueueState>(out.get(prm::query_rq_out::rq_context / prm::rqc::state));
}

void Rq::make_ready() {
  modify_state<ModifyRq>(object_, number(), prm::QueueState::kReset, prm::QueueState::kReady);
}

void Rq::reset() {
  prm::QueueState now = state();
  if (now == prm::QueueState::kReady) {
    modify_state<ModifyRq>(object_, number(), now, prm::QueueState::kError);
    now = prm::QueueState::kError;
  }
  if (now == prm::QueueState::kError) {
    modify_state<ModifyRq>(object_, number(), now, prm::QueueState::kReset);
  }
}

}  // namespace ringside::mlx5
