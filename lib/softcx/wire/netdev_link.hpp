// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port's netdev as its wire sees it: the carrier and the MAC address.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "lib/base/unique_fd.hpp"

namespace softcx {

class NetdevLink {
 public:
  /// In the network namespace of the calling thread. `wire_end`: the netdev whose being up is the
  /// carrier of `netdev`. Throws ringside::Error.
  NetdevLink(std::string netdev, std::string wire_end);

  /// Is there a carrier? A netdev that is gone has none.
  bool up() const noexcept;
  /// Best effort: it takes CAP_NET_ADMIN.
  void set_carrier(bool up) const noexcept;
  /// All zero where the netdev is gone.
  std::array<std::uint8_t, 6> mac() const noexcept;

 private:
  std::string netdev_, wire_end_;
  ringside::UniqueFd socket_;
};

}  // namespace softcx
