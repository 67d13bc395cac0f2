// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// An ethdev port, stopped and closed with its owner.
#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <string>

namespace ringside {

struct EthPortInfo {
  rte_device* device;
  std::string device_name;
  std::string driver_name;
  std::string mac_address;  ///< AA:BB:CC:DD:EE:FF
  int socket;
  bool link_up;
  std::uint32_t link_speed_mbps;  ///< 0: none, UINT32_MAX: unknown
  bool full_duplex;
  std::uint16_t mtu;
  bool promiscuous;
  std::uint64_t tx_offloads;  ///< RTE_ETH_TX_OFFLOAD_* that the device has
};

struct EthPortConfig {
  std::uint16_t rx_queues;
  std::uint16_t tx_queues;
  std::uint16_t rx_descriptors;
  std::uint16_t tx_descriptors;
  std::uint32_t max_packet_length;  ///< FCS included; sets the MTU
  bool promiscuous;
  bool isolated;      ///< only flow rules lead to queues (rte_flow_isolate)
  rte_mempool* pool;  ///< of all receive queues; mbufs hold max_packet_length
};

class EthPort {
 public:
  /// Takes over a probed port and sets it up; start() has to follow. Throws Error.
  EthPort(std::uint16_t id, const EthPortConfig& config);
  ~EthPort();
  EthPort(const EthPort&) = delete;
  EthPort& operator=(const EthPort&) = delete;

  std::uint16_t id() const noexcept { return id_; }
  bool started() const noexcept { return started_; }
  /// Idempotent. Throws Error.
  void start();
  /// Idempotent. Flow rules are flushed by it. Throws Error.
  void stop();

  /// Since the device was probed.
  rte_eth_stats stats() const;
  /// Of any port that was probed.
  static EthPortInfo info(std::uint16_t id);

 private:
  void set_mtu(std::uint32_t max_packet_length);
  void set_up_queues(const EthPortConfig& config);

  std::uint16_t id_;
  bool started_ = false;
};

}  // namespace ringside
