// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/netdevs.hpp"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/softcx/launch/route_socket.hpp"

namespace softcx {
namespace {

using MacAddress = std::array<unsigned char, 6>;

void put_identity(nlmsghdr* header, const std::string& name, const MacAddress& mac) {
  mnl_attr_put_strz(header, IFLA_IFNAME, name.c_str());
  mnl_attr_put(header, IFLA_ADDRESS, mac.size(), mac.data());
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

void make_veth(RouteSocket& socket, const Port& port, const std::string& name,
               std::optional<std::uint32_t> mtu) {
  LinkMessage message(NLM_F_CREATE | NLM_F_EXCL);
  nlmsghdr* const header = message.header();
  put_identity(header, name, mac_address(port.index, false));
  if (mtu) mnl_attr_put_u32(header, IFLA_MTU, *mtu);
  nlattr* const info = mnl_attr_nest_start(header, IFLA_LINKINFO);
  mnl_attr_put_strz(header, IFLA_INFO_KIND, "veth");
  nlattr* const data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
  nlattr* const peer = mnl_attr_nest_start(header, VETH_INFO_PEER);
  mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg));
  put_identity(header, port.wire_end, mac_address(port.index, true));
  mnl_attr_nest_end(header, peer);
  mnl_attr_nest_end(header, data);
  mnl_attr_nest_end(header, info);
  socket.request(header, fmt::format("make the network device '{}'", name));
}

/// A netdev that stands in for all of `lower`. The kernel refuses it an MTU above that of `lower`,
/// as it refuses a real port's netdev one above what the device can: a veth would take any.
void make_macvlan(RouteSocket& socket, const Port& port, const std::string& lower,
                  std::uint32_t mtu) {
  LinkMessage message(NLM_F_CREATE | NLM_F_EXCL);
  nlmsghdr* const header = message.header();
  put_identity(header, port.netdev, mac_address(port.index, false));
  mnl_attr_put_u32(header, IFLA_MTU, mtu);
  mnl_attr_put_u32(header, IFLA_LINK, if_nametoindex(lower.c_str()));
  nlattr* const info = mnl_attr_nest_start(header, IFLA_LINKINFO);
  mnl_attr_put_strz(header, IFLA_INFO_KIND, "macvlan");
  nlattr* const data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
  mnl_attr_put_u32(header, IFLA_MACVLAN_MODE, MACVLAN_MODE_PASSTHRU);
  mnl_attr_nest_end(header, data);
  mnl_attr_nest_end(header, info);
  socket.request(header, fmt::format("make the network device '{}' of a limited MTU", port.netdev));
}

void make_netdev(RouteSocket& socket, const Port& port, const FaultPlan& faults) {
  const FaultOrder* const limit = faults.find(FaultKind::kMtu, port.index);
  if (limit == nullptr) {
    make_veth(socket, port, port.netdev, std::nullopt);
  } else {
    const auto mtu = static_cast<std::uint32_t>(limit->value("value"));
    const std::string lower = port.netdev + "lower";
    make_veth(socket, port, lower, mtu);
    raise(socket, lower);
    make_macvlan(socket, port, lower, mtu);
  }
  raise(socket, port.netdev);
}

/// By a process of its own, which ends with the namespace if not before.
void raise_later(const std::string& name, std::uint64_t ms) {
  const pid_t child = fork();
  if (child < 0) {
    throw ringside::Error(fmt::format("cannot fork: {}", ringside::errno_text(errno)),
                          "raise the limit of processes");
  }
  if (child != 0) return;
  const timespec delay{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1'000'000)};
  nanosleep(&delay, nullptr);
  try {
    RouteSocket socket;  // the parent's counts the parent's requests
    raise(socket, name);
  } catch (const ringside::Error& error) {
    fmt::print(stderr, "softcx: {}\n", error.what());
  }
  _exit(0);
}

/// For devices made from now on: switching it off later would be too late for the first frames.
/// A kernel without IPv6 has no such file.
void switch_ipv6_off() {
  std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << 1;
}

}  // namespace

void make_netdevs(const std::vector<Port>& ports, const FaultPlan& faults) {
  RouteSocket socket;
  raise(socket, "lo");
  switch_ipv6_off();
  for (const auto& port : ports) {
    make_netdev(socket, port, faults);
    if (const FaultOrder* const late = faults.find(FaultKind::kLinkDelay, port.index)) {
      raise_later(port.wire_end, late->value("ms"));
    } else {
      raise(socket, port.wire_end);
    }
  }
}

}  // namespace softcx
