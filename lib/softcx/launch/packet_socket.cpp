// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/packet_socket.hpp"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

using ringside::errno_text;
using ringside::usage_error;

void check_interface(int fd, const std::string& ifname) {
  ifreq request{};
  std::strncpy(request.ifr_name, ifname.c_str(), IFNAMSIZ - 1);
  if (ioctl(fd, SIOCGIFHWADDR, &request) != 0 ||
      (request.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
       request.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)) {
    throw usage_error(fmt::format("interface '{}' is not an Ethernet interface", ifname),
                      "give netdev: an Ethernet interface");
  }
  if (ioctl(fd, SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP) == 0) {
    throw usage_error(fmt::format("interface '{}' is down", ifname),
                      fmt::format("bring it up with 'ip link set {} up'", ifname));
  }
}

}  // namespace

ringside::UniqueFd open_packet_socket(const std::string& ifname) {
  const unsigned index = ifname.size() < IFNAMSIZ ? if_nametoindex(ifname.c_str()) : 0;
  if (index == 0) {
    throw usage_error(fmt::format("interface '{}' does not exist", ifname),
                      "'ip link' lists the interfaces that netdev: can take");
  }
  // Protocol 0 until it is bound, or it would queue the packets of all interfaces meanwhile.
  ringside::UniqueFd fd(socket(AF_PACKET, SOCK_RAW, 0));
  if (!fd) {
    throw usage_error(
        fmt::format("no packet socket for interface '{}': {}", ifname, errno_text(errno)),
        "netdev: needs CAP_NET_RAW, run as root");
  }
  check_interface(fd.get(), ifname);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(index);
  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = address.sll_ifindex;
  promiscuous.mr_type = PACKET_MR_PROMISC;
  const int on = 1;
  if (setsockopt(fd.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) != 0 ||
      setsockopt(fd.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous)) !=
          0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw usage_error(fmt::format("cannot take interface '{}': {}", ifname, errno_text(errno)),
                      "netdev: needs Linux 4.20 and an interface that stays up");
  }
  return fd;
}

}  // namespace softcx
