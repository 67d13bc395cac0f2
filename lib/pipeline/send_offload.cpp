// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/send_offload.hpp"

#include <rte_ethdev.h>

namespace ringside::pipeline {

TxOffload send_offload(const TxQueue& queue) {
  constexpr unsigned kPriorityAt = 13;
  TxOffload offload;
  for (const TxQueue::Offload one : queue.offloads) {
    offload.checksums |= one == TxQueue::Offload::kIpv4Checksum ? kCsL3 : kCsL4;
  }
  if (queue.vlan) {
    offload.insert_vlan = true;
    offload.vlan_tci = static_cast<std::uint16_t>(queue.vlan_priority << kPriorityAt | *queue.vlan);
  }
  return offload;
}

std::string missing_offload(const TxOffload& offload, std::uint64_t capabilities) {
  constexpr std::uint64_t kL4 = RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
  if ((offload.checksums & kCsL3) != 0 && (capabilities & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) == 0) {
    return "ipv4_checksum";
  }
  if ((offload.checksums & kCsL4) != 0 && (capabilities & kL4) != kL4) return "l4_checksum";
  if (offload.insert_vlan && (capabilities & RTE_ETH_TX_OFFLOAD_VLAN_INSERT) == 0) return "vlan";
  return {};
}

}  // namespace ringside::pipeline
