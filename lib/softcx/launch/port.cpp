// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/port.hpp"

#include <fmt/core.h>

namespace softcx {
namespace {

constexpr unsigned kPciFunctions = 8;  // of a device

}  // namespace

Port::Port(unsigned port_index, WireSpec port_wire)
    : index(port_index),
      wire(std::move(port_wire)),
      bdf(fmt::format("0000:ca:{:02x}.{}", index / kPciFunctions, index % kPciFunctions)),
      ibdev(fmt::format("mlx5_{}", index)),
      uverbs(fmt::format("uverbs{}", index)),
      netdev(fmt::format("cx{}", index)),
      wire_end(netdev + "wire") {}

}  // namespace softcx
