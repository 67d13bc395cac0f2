// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stage outside the tree: drops IPv4 packets that have more hops left than the file allows, and
// writes what is left into the type of service.
#include "kernels/stage.hpp"

RINGSIDE_STAGE(short_hops, packet, params) {
  FieldValue ttl{};
  if (!load_field(packet, Field::kIpv4Ttl, false, ttl)) return Next::kOn;
  if (ttl.low > params[0]) return Next::kDrop;
  write_field(packet, Field::kIpv4Tos, ttl);
  return Next::kOn;
}
