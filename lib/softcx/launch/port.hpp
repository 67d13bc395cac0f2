// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One port of a run, as everything that is made for it names it.
#pragma once

#include <string>

#include "lib/base/unique_fd.hpp"
#include "lib/softcx/launch/wire_spec.hpp"

namespace softcx {

struct Port {
  Port(unsigned port_index, WireSpec port_wire);

  unsigned index;
  WireSpec wire;
  std::string bdf;     ///< PCI address
  std::string ibdev;   ///< RDMA device
  std::string uverbs;  ///< its verbs character device
  std::string netdev;
  std::string wire_end;              ///< the other end of the netdev, which gives it its carrier
  ringside::UniqueFd packet_socket;  ///< of a netdev wire
};

}  // namespace softcx
