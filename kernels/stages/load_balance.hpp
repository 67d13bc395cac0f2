// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Chooses a backend by a hash of the flow. The host fills a table of buckets with backends by
// weight (lib/pipeline/backend_table.hpp), so that a changed backend moves few flows.
#pragma once

#include <cstdint>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/rewrite.hpp"

namespace ringside::stages {

inline constexpr std::uint32_t kBackendBuckets = 1024;

struct Backend {
  FieldValue mac;    ///< as Field::kEthDst
  FieldValue ip;     ///< as Field::kIpv4Dst or kIpv6Dst
  std::uint16_t to;  ///< Target
  bool has_mac;
  bool has_ipv4;
  bool has_ipv6;
};

struct LoadBalanceParameters {
  HashOver over;
  bool symmetric;
  std::uint8_t of_bucket[kBackendBuckets];
  Backend backends[1];  ///< as many as of_bucket names
};

/// The same to those who use it.
struct LoadBalance {
  HashOver over;
  bool symmetric;
  const std::uint8_t* of_bucket;
  const Backend* backends;
};

/// An address is written to packets of its own version only.
RS_DEVICE std::uint16_t run_load_balance(PacketView& packet, const LoadBalance& parameters) {
  const std::uint64_t hash = flow_hash(packet, parameters.over, parameters.symmetric);
  const Backend& backend =
      parameters.backends[parameters.of_bucket[hash_index(hash, kBackendBuckets)]];
  if (backend.has_mac) write_field(packet, Field::kEthDst, backend.mac);
  if (backend.has_ipv4) write_field(packet, Field::kIpv4Dst, backend.ip);
  if (backend.has_ipv6) write_field(packet, Field::kIpv6Dst, backend.ip);
  return backend.to;
}

}  // namespace ringside::stages
