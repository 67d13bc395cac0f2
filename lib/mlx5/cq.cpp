// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/cq.hpp"

#include <atomic>

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kCqIndexMask = 0xffffff;  // the record holds 24 bits

auto cq_command(const CqConfig& config) {
  constexpr prm::Context kCq = prm::create_cq_in::cq_context;
  Cqe* ring = config.ring.host<Cqe>();
  for (std::uint32_t i = 0; i < 1U << config.log_depth; ++i) ring[i].op_own = kCqeInitialOpOwn;
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

std::uint64_t Cq::skip_completions(std::uint64_t consumer) noexcept {
  Cqe* ring = config_.ring.host<Cqe>();
  const std::uint32_t mask = (1U << config_.log_depth) - 1;
  // Acquire pairs with the NIC's write of op_own, the last byte of a CQE to become visible.
  while (cqe_is_ready(std::atomic_ref(ring[consumer & mask].op_own).load(std::memory_order_acquire),
                      static_cast<std::uint32_t>(consumer), config_.log_depth)) {
    ++consumer;
  }
  const Be32 index = Be32::of(static_cast<std::uint32_t>(consumer) & kCqIndexMask);
  std::atomic_ref(config_.record.host<CqDoorbellRecord>()->consumer_index.raw)
      .store(index.raw, std::memory_order_release);
  return consumer;
}

}  // namespace ringside::mlx5
