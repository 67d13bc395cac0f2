// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Calls of libmlx5 that break a rule, where the call itself cannot refuse.
#include <gtest/gtest.h>

#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/queue_domain.hpp"
#include "lib/mlx5/sq.hpp"
#include "mlx5_fixture.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

TEST(SoftcxCallRules, flow_tag_of_more_than_24_bits) {
  LoopPort::expect_broken("steering.tag-bits");
  LoopPort::expect_said("any device: flow tag 0x1000000: more than 24 bits: packets carry 0x0");
  mlx5dv_dr_action* const good = mlx5dv_dr_action_create_tag(0xffffff);
  mlx5dv_dr_action* const bad = mlx5dv_dr_action_create_tag(0x1000000);
  for (mlx5dv_dr_action* action : {good, bad}) {
    ASSERT_NE(action, nullptr);
    mlx5dv_dr_action_destroy(action);
  }
}

TEST(SoftcxCallRules, uar_page_freed_before_its_send_queue) {
  LoopPort::expect_broken("doorbell.uar-freed");
  constexpr std::size_t kBytes = 3 * 4096;
  const Pages rings = allocate_pages(kBytes);
  const mlx5::Context context = mlx5::Context::open(kNicAddress);
  const mlx5::Pd pd(context);
  const mlx5::QueueDomain domain(context, pd);
  const mlx5::Umem umem(context, rings.get(), kBytes);
  mlx5::DirectAccess access(rings.get());
  const auto piece = [&](std::uint64_t offset) {
    return mlx5::RingMemory{umem.id(), offset, rings.get() + offset, &access};
  };
  const mlx5::Cq cq = domain.make_cq(4, piece(0), piece(8192));
  mlx5dv_devx_uar* const uar = mlx5dv_devx_alloc_uar(context.get(), MLX5DV_UAR_ALLOC_TYPE_BF);
  ASSERT_NE(uar, nullptr);
  {
    const mlx5::Sq sq(context, {.wq = {.log_depth = 4,
                                       .log_stride = 6,
                                       .pd = domain.pd(),
                                       .uar_page = uar->page_id,
                                       .ring = piece(4096),
                                       .record = piece(8256)},
                                .cq = cq.number(),
                                .tis = domain.tis(),
                                .timestamps = domain.capabilities().send_timestamps,
                                .multi_packet = false});
    mlx5dv_devx_free_uar(uar);
    LoopPort::expect_said(
        fmt::format("mlx5_0: UAR page {:#x}: freed with 1 send queues and 0 "
                    "completion queues",
                    uar->page_id));
  }
  mlx5dv_devx_free_uar(uar);  // nothing rings on it any more
}

}  // namespace
}  // namespace ringside::test
