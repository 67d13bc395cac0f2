// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/mtu.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/softcx/data/frame_limits.hpp"

namespace softcx {

MtuReader::MtuReader() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (!socket_) {
    throw ringside::Error(
        fmt::format("no socket to read the MTU with: {}", ringside::errno_text(errno)),
        "raise the limit of open files (ulimit -n)");
  }
}

void MtuReader::refresh(Device& device) const noexcept {
  ifreq request{};
  std::strncpy(request.ifr_name, device.netdev.c_str(), IFNAMSIZ - 1);
  if (::ioctl(socket_.get(), SIOCGIFMTU, &request) != 0 || request.ifr_mtu <= 0) return;
  const auto mtu = static_cast<std::uint32_t>(request.ifr_mtu);
  device.mtu.store(std::min(mtu, kLargestMtu), std::memory_order_relaxed);
}

}  // namespace softcx
