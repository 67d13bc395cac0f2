// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/cq.hpp"

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kCqIndexMask = 0xffffff;  // the record holds 24 bits

auto cq_command(const CqConfig& config) {
  constexpr prm::Context kCq = prm::create_cq_in::cq_context;
  if (config.emptied_by == EmptiedBy::kCpu) {
    std::vector<Cqe> ring(std::size_t{1} << config.log_depth);
    for (Cqe& cqe : ring) cqe.op_own = kCqeInitialOpOwn;
    config.ring.write_array(ring);
    config.record.write(CqDoorbellRecord{});
  }
  auto in = command<prm::create_cq_in::kSize>(prm::Opcode::kCreateCq);
  in.set(kCq / prm::cqc::log_cq_size, config.log_depth);
  in.set(kCq / prm::cqc::uar_page, config.uar_page);
  in.set(kCq / prm::cqc::c_eqn, config.event_queue);
  in.set(kCq / prm::cqc::dbr_umem_valid, 1);
  in.set(kCq / prm::cqc::dbr_umem_id, config.record.umem_id);
  in.set(kCq / prm::cqc::dbr_addr, config.record.offset);
  in.set(prm::create_cq_in::cq_umem_valid, 1);
  in.set(prm::create_cq_in::cq_umem_id, config.ring.umem_id);
  in.set(prm::create_cq_in::cq_umem_offset, config.ring.offset);
  return in;
}

}  // namespace

Cq::Cq(const Context& context, const CqConfig& config)
    : config_(config),
      object_(context, fmt::format("completion queue of {}", 1U << config.log_depth),
              cq_command(config), answer_) {}

bool Cq::overrun() const {
  constexpr std::uint32_t kStatusOverrun = 9;
  auto in = command<prm::query_cq_in::kSize>(prm::Opcode::kQueryCq);
  in.set(prm::query_cq_in::cqn, number());
  prm::Mailbox<prm::query_cq_out::kSize> out;
  object_.query(in, out);
  return out.get(prm::query_cq_out::cq_context / prm::cqc::status) == kStatusOverrun;
}

std::uint64_t Cq::skip_completions(std::uint64_t consumer) {
  // The command that put the work queue into reset has ended, so all CQEs are there.
  const auto ring = config_.ring.read_array<Cqe>(std::size_t{1} << config_.log_depth);
  while (cqe_is_ready(ring[consumer & (ring.size() - 1)].op_own,
                      static_cast<std::uint32_t>(consumer), config_.log_depth)) {
    ++consumer;
  }
  config_.record.write_word(offsetof(CqDoorbellRecord, consumer_index),
                            Be32::of(static_cast<std::uint32_t>(consumer) & kCqIndexMask).raw);
  return consumer;
}

}  // namespace ringside::mlx5
