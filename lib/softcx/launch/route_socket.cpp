// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/route_socket.hpp"

#include <linux/if_link.h>
#include <net/if.h>

#include <cerrno>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

[[noreturn]] void fail(const std::string& action) {
  throw ringside::Error(fmt::format("cannot {}: {}", action, ringside::errno_text(errno)),
                        "softcx run needs CAP_NET_ADMIN and the kernel's driver for the device");
}

}  // namespace

RouteSocket::RouteSocket()
    : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC), mnl_socket_close) {
  if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0) {
    fail("open a netlink socket");
  }
}

void RouteSocket::request(nlmsghdr* header, const std::string& action) {
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

LinkMessage::LinkMessage(unsigned flags) : header_(mnl_nlmsg_put_header(buffer_.data())) {
  header_->nlmsg_type = RTM_NEWLINK;
  header_->nlmsg_flags = static_cast<std::uint16_t>(flags);
  link_ = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header_, sizeof(ifinfomsg)));
}

void raise(RouteSocket& socket, const std::string& name) {
  LinkMessage message(0);
  message.link()->ifi_flags = IFF_UP;
  message.link()->ifi_change = IFF_UP;
  mnl_attr_put_strz(message.header(), IFLA_IFNAME, name.c_str());
  socket.request(message.header(), fmt::format("bring up the network device '{}'", name));
}

}  // namespace softcx
