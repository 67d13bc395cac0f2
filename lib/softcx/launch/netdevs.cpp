// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/netdevs.hpp"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

using MacAddress = std::array<unsigned char, 6>;
using Message = std::array<char, 1024>;

[[noreturn]] void fail(const std::string& action) {
  throw ringside::Error(fmt::format("cannot {}: {}", action, ringside::errno_text(errno)),
                        "softcx run needs CAP_NET_ADMIN and the kernel's veth driver");
}

class RouteSocket {
 public:
  RouteSocket() : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC), mnl_socket_close) {
    if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0) {
      fail("open a netlink socket");
    }
  }

  /// Sends one request and waits for its acknowledgement.
  void request(nlmsghdr* header, const std::string& action) {
    header->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
    header->nlmsg_seq = ++sequence_;
    if (mnl_socket_sendto(socket_.get(), header, header->nlmsg_len) < 0) fail(action);
    std::array<char, 8192> reply{};
    const ssize_t size = mnl_socket_recvfrom(socket_.get(), reply.data(), reply.size());
    if (size < 0 || mnl_cb_run(reply.data(), static_cast<std::size_t>(size), sequence_,
                               mnl_socket_get_portid(socket_.get()), nullptr, nullptr) < 0) {
      fail(action);
    }
  }

 private:
  std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> socket_;
  unsigned sequence_ = 0;
};

void put_identity(nlmsghdr* header, const std::string& name, const MacAddress& mac) {
  mnl_attr_put_strz(header, IFLA_IFNAME, name.c_str());
  mnl_attr_put(header, IFLA_ADDRESS, mac.size(), mac.data());
}

std::string wire_end(const Port& port) {
  return port.netdev + "wire";
}

/// Locally administered and the same in every run.
MacAddress mac_address(unsigned port, bool wire_side) {
  return {0x02,
          's',
          'c',
          'x',
          static_cast<unsigned char>(wire_side ? 1 : 0),
          static_cast<unsigned char>(port)};
}

void make_veth(RouteSocket& socket, const Port& port) {
  Message buffer{};
  nlmsghdr* const header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_NEWLINK;
  header->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
  mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg));
  put_identity(header, port.netdev, mac_address(port.index, false));
  nlattr* const info = mnl_attr_nest_start(header, IFLA_LINKINFO);
  mnl_attr_put_strz(header, IFLA_INFO_KIND, "veth");
  nlattr* const data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
  nlattr* const peer = mnl_attr_nest_start(header, VETH_INFO_PEER);
  mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg));
  put_identity(header, wire_end(port), mac_address(port.index, true));
  mnl_attr_nest_end(header, peer);
  mnl_attr_nest_end(header, data);
  mnl_attr_nest_end(header, info);
  socket.request(header, fmt::format("make the network device '{}'", port.netdev));
}

void raise(RouteSocket& socket, const std::string& name) {
  Message buffer{};
  nlmsghdr* const header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_NEWLINK;
  auto* const link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg)));
  link->ifi_flags = IFF_UP;
  link->ifi_change = IFF_UP;
  mnl_attr_put_strz(header, IFLA_IFNAME, name.c_str());
  socket.request(header, fmt::format("bring up the network device '{}'", name));
}

/// For devices made from now on: switching it off later would be too late for the first frames.
/// A kernel without IPv6 has no such file.
void switch_ipv6_off() {
  std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << 1;
}

}  // namespace

void make_netdevs(const std::vector<Port>& ports) {
  RouteSocket socket;
  raise(socket, "lo");
  switch_ipv6_off();
  for (const auto& port : ports) {
    make_veth(socket, port);
    raise(socket, port.netdev);
    raise(socket, wire_end(port));
  }
}

}  // namespace softcx
