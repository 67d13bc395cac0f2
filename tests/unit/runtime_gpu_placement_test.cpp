// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "lib/base/error.hpp"
#include "lib/runtime/gpu_placement.hpp"

namespace ringside {
namespace {

RuntimeConfig with_gpus(std::vector<int> ids, std::uint16_t queues = 1) {
  RuntimeConfig config;
  config.mempool = MempoolKind::kGpu;
  config.gpu_ids = std::move(ids);
  config.rx_queues = config.tx_queues = queues;
  return config;
}

TEST(GpuPlacement, one_gpu_has_all_queues) {
  const GpuPlacement placement(with_gpus({3}, 2), 3);
  EXPECT_EQ(placement.ids(), std::vector{3});
  EXPECT_EQ(placement.ports_on(0), 3U);
  EXPECT_EQ(placement.streams().size(), 6U);
  for (std::size_t port = 0; port < 3; ++port) EXPECT_EQ(placement.of_send_queue(port, 1), 0U);
}

TEST(GpuPlacement, ports_have_gpus_in_turn) {
  const GpuPlacement placement(with_gpus({5, 2}), 5);
  EXPECT_EQ(placement.ids(), (std::vector{5, 2}));
  for (std::size_t port = 0; port < 5; ++port) EXPECT_EQ(placement.of_port(port), port % 2);
}

TEST(GpuPlacement, a_gpu_that_is_named_twice_is_one) {
  const GpuPlacement placement(with_gpus({1, 1, 0}), 3);
  EXPECT_EQ(placement.ids(), (std::vector{1, 0}));
  EXPECT_EQ(placement.of_port(1), 0U);
  EXPECT_EQ(placement.of_port(2), 1U);
}

TEST(GpuPlacement, a_send_queue_lies_with_the_gpu_whose_packets_it_sends) {
  const GpuPlacement placement(with_gpus({0, 1}, 2), 3);  // 0 <-> 1, 2 alone
  for (std::uint16_t q = 0; q < 2; ++q) {
    EXPECT_EQ(placement.of_send_queue(1, q), 0U);
    EXPECT_EQ(placement.of_send_queue(0, q), 1U);
    EXPECT_EQ(placement.of_send_queue(2, q), 0U);
  }
  EXPECT_EQ(placement.ports_on(0), 2U);
  EXPECT_EQ(placement.ports_on(1), 1U);
}

TEST(GpuPlacement, a_send_queue_that_no_stream_uses_lies_with_its_port) {
  RuntimeConfig config = with_gpus({0, 1}, 2);
  config.streams = {{.rx_port = 0, .rx_queue = 0, .tx_port = 1, .tx_queue = 1}};
  const GpuPlacement placement(config, 2);
  EXPECT_EQ(placement.of_send_queue(1, 1), 0U);
  EXPECT_EQ(placement.of_send_queue(1, 0), 1U);
  // Three send queues and two receive queues on GPU 0: buffers for two ports' worth.
  EXPECT_EQ(placement.ports_on(0), 2U);
  EXPECT_EQ(placement.ports_on(1), 1U);
}

TEST(GpuPlacement, more_gpus_than_ports_are_refused) {
  try {
    const GpuPlacement placement(with_gpus({0, 1}), 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(error.problem().find("0,1 for 1 port"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ringside
