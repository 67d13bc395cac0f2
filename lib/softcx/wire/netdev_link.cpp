// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/netdev_link.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

ifreq request_for(const std::string& name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  return request;
}

}  // namespace

NetdevLink::NetdevLink(std::string netdev, std::string wire_end)
    : netdev_(std::move(netdev)),
      wire_end_(std::move(wire_end)),
      socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (!socket_) {
    throw ringside::Error(
        fmt::format("no socket to see the link by: {}", ringside::errno_text(errno)),
        "raise the limit of open files (ulimit -n)");
  }
}

bool NetdevLink::up() const noexcept {
  ifreq request = request_for(netdev_);
  return ::ioctl(socket_.get(), SIOCGIFFLAGS, &request) == 0 &&
         (request.ifr_flags & IFF_RUNNING) != 0;
}

void NetdevLink::set_carrier(bool up) const noexcept {
  ifreq request = request_for(wire_end_);
  if (::ioctl(socket_.get(), SIOCGIFFLAGS, &request) != 0) return;
  request.ifr_flags =
      static_cast<short>(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
  ::ioctl(socket_.get(), SIOCSIFFLAGS, &request);
}

std::array<std::uint8_t, 6> NetdevLink::mac() const noexcept {
  std::array<std::uint8_t, 6> address{};
  ifreq request = request_for(netdev_);
  if (::ioctl(socket_.get(), SIOCGIFHWADDR, &request) == 0) {
    std::copy_n(reinterpret_cast<const std::uint8_t*>(request.ifr_hwaddr.sa_data), address.size(),
                address.begin());
  }
  return address;
}

}  // namespace softcx
