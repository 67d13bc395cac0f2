// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/eth_port.hpp"

#include <rte_flow.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/dpdk/hugepages.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kRssTypes = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;

std::string remedy(int rc) {
  switch (-rc) {
    case ENOMEM:
      return hugepage_remedy(list_hugepages());
    case EPERM:
    case EACCES:
      return "run as root or with CAP_NET_ADMIN and CAP_NET_RAW";
    default:
      return "see the PMD's message above";
  }
}

void check(int rc, std::uint16_t port, std::string_view what) {
  if (rc < 0) {
    throw Error(fmt::format("port {}: {} failed, {}", port, what, dpdk_errno_text(rc)), remedy(rc));
  }
}

rte_eth_dev_info device_info(std::uint16_t port) {
  rte_eth_dev_info info{};
  check(rte_eth_dev_info_get(port, &info), port, "asking for the device's limits");
  return info;
}

/// `rc`: of what sets the MTU, among other things.
void check_mtu(int rc, std::uint16_t port, std::uint32_t mtu, std::string_view what) {
  std::uint16_t now = 0;
  if ((rc == -EINVAL || rc == -ERANGE) && rte_eth_dev_get_mtu(port, &now) == 0 && now != mtu) {
    throw Error(fmt::format("port {}: the netdev's MTU is {} and cannot be {}, {}", port, now, mtu,
                            dpdk_errno_text(rc)),
                fmt::format("look at its maxmtu (ip -d link show), or use --max-pkt-len={}",
                            now + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN));
  }
  check(rc, port, what);
}

void check_queues(std::uint16_t port, std::string_view direction, std::uint16_t asked,
                  std::uint16_t most) {
  if (asked > most) {
    throw usage_error(fmt::format("port {}: {} {} queues were asked for", port, asked, direction),
                      fmt::format("the device has {}", most));
  }
}

}  // namespace

EthPort::EthPort(std::uint16_t id, const EthPortConfig& config) : id_(id) {
  const rte_eth_dev_info info = device_info(id);
  check_queues(id, "receive", config.rx_queues, info.max_rx_queues);
  check_queues(id, "send", config.tx_queues, info.max_tx_queues);
  rte_eth_conf conf{};
  conf.rxmode.mtu = config.max_packet_length - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
  if (config.rx_queues > 1) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_hf = kRssTypes & info.flow_type_rss_offloads;
  }
  check_mtu(rte_eth_dev_configure(id, config.rx_queues, config.tx_queues, &conf), id,
            conf.rxmode.mtu, "configuring");
  set_mtu(config.max_packet_length);
  // Before isolation: an isolated port ignores it, and a VF needs it set in its netdev.
  check(config.promiscuous ? rte_eth_promiscuous_enable(id) : rte_eth_promiscuous_disable(id), id,
        "setting promiscuous mode");
  if (config.isolated) {
    rte_flow_error error{};
    if (rte_flow_isolate(id, 1, &error) != 0) {
      throw Error(fmt::format("port {}: cannot be isolated, {}", id,
                              error.message != nullptr ? error.message : "no reason given"),
                  "the GPU data path needs a port without default rules; try --datapath=cpu");
    }
  }
  set_up_queues(config);
}

void EthPort::set_mtu(std::uint32_t max_packet_length) {
  const std::uint32_t mtu = max_packet_length - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
  check_mtu(rte_eth_dev_set_mtu(id_, static_cast<std::uint16_t>(mtu)), id_, mtu,
            fmt::format("setting the MTU to {}", mtu));
}

void EthPort::set_up_queues(const EthPortConfig& config) {
  const auto socket = static_cast<unsigned>(std::max(rte_eth_dev_socket_id(id_), 0));
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
    check(rte_eth_rx_queue_setup(id_, q, config.rx_descriptors, socket, nullptr, config.pool), id_,
          fmt::format("setting up receive queue {} of {}", q, config.rx_descriptors));
  }
  for (std::uint16_t q = 0; q < config.tx_queues; ++q) {
    check(rte_eth_tx_queue_setup(id_, q, config.tx_descriptors, socket, nullptr), id_,
          fmt::format("setting up send queue {} of {}", q, config.tx_descriptors));
  }
}

EthPort::~EthPort() {
  if (started_) rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
}

void EthPort::start() {
  if (started_) return;
  check(rte_eth_dev_start(id_), id_, "starting");
  started_ = true;
}

void EthPort::stop() {
  if (!started_) return;
  check(rte_eth_dev_stop(id_), id_, "stopping");
  started_ = false;
}

rte_eth_stats EthPort::stats() const {
  rte_eth_stats stats{};
  check(rte_eth_stats_get(id_, &stats), id_, "reading statistics");
  return stats;
}

EthPortInfo EthPort::info(std::uint16_t id) {
  const rte_eth_dev_info device = device_info(id);
  rte_ether_addr address{};
  check(rte_eth_macaddr_get(id, &address), id, "reading the MAC address");
  char mac[RTE_ETHER_ADDR_FMT_SIZE];
  rte_ether_format_addr(mac, sizeof mac, &address);
  rte_eth_link link{};
  check(rte_eth_link_get_nowait(id, &link), id, "reading the link");
  std::uint16_t mtu = 0;
  check(rte_eth_dev_get_mtu(id, &mtu), id, "reading the MTU");
  return EthPortInfo{
      .device = device.device,
      .device_name = rte_dev_name(device.device),
      .driver_name = device.driver_name,
      .mac_address = mac,
      .socket = rte_eth_dev_socket_id(id),
      .link_up = link.link_status == RTE_ETH_LINK_UP,
      .link_speed_mbps = link.link_speed,
      .full_duplex = link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX,
      .mtu = mtu,
      .promiscuous = rte_eth_promiscuous_get(id) == 1,
      .tx_offloads = device.tx_offload_capa,
  };
}

}  // namespace ringside
