// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The MTU of a port is its netdev's: drivers set it there, by ioctl.
#pragma once

#include <span>

#include "lib/base/unique_fd.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

class MtuReader {
 public:
  /// In the network namespace of the calling thread.
  MtuReader();
  /// Reads the netdev's MTU into device.mtu; leaves it alone if there is no such netdev. Callable
  /// from any thread.
  void refresh(Device& device) const noexcept;

 private:
  ringside::UniqueFd socket_;
};

}  // namespace softcx
