// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Send queues' offloads as the file has them, and NICs that do not offer them.
#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "lib/pipeline/send_offload.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint64_t kAll = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
                               RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_VLAN_INSERT;

TxQueue queue_with_all() {
  return {.name = "tx0",
          .offloads = {TxQueue::Offload::kL4Checksum, TxQueue::Offload::kIpv4Checksum},
          .vlan = 42,
          .vlan_priority = 5};
}

TEST(PipelineOffload, a_queue_has_what_its_keys_say) {
  EXPECT_EQ(send_offload({.name = "tx0"}), TxOffload{});
  EXPECT_EQ(send_offload(queue_with_all()),
            (TxOffload{.checksums = 0xc0, .insert_vlan = true, .vlan_tci = 0xa02a}));
}

TEST(PipelineOffload, what_the_nic_does_not_offer_is_named) {
  const TxOffload all = send_offload(queue_with_all());
  EXPECT_EQ(missing_offload({}, 0), "");
  EXPECT_EQ(missing_offload(all, kAll), "");
  EXPECT_EQ(missing_offload(all, kAll & ~RTE_ETH_TX_OFFLOAD_IPV4_CKSUM), "ipv4_checksum");
  EXPECT_EQ(missing_offload(all, kAll & ~RTE_ETH_TX_OFFLOAD_TCP_CKSUM), "l4_checksum");
  EXPECT_EQ(missing_offload(all, kAll & ~RTE_ETH_TX_OFFLOAD_UDP_CKSUM), "l4_checksum");
  EXPECT_EQ(missing_offload(all, kAll & ~RTE_ETH_TX_OFFLOAD_VLAN_INSERT), "vlan");
}

}  // namespace
}  // namespace ringside::pipeline
