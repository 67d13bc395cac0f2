// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/backend_table.hpp"

#include <cmath>
#include <string_view>

namespace ringside::pipeline {
namespace {

std::uint64_t identity(const LoadBalanceStage::Backend& backend) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint8_t byte) { hash = stages::mix(hash ^ (byte + 1U)); };
  if (backend.mac) {
    for (const std::uint8_t byte : *backend.mac) add(byte);
  }
  if (backend.ip) {
    for (const std::uint8_t byte : backend.ip->bytes) add(byte);
  }
  for (const char letter : backend.to.name) add(static_cast<std::uint8_t>(letter));
  return hash;
}

/// The greater, the stronger the claim; a share of all buckets that is as the weight.
double claim(std::uint64_t backend, std::uint32_t bucket, std::uint16_t weight) {
  const std::uint64_t hash = stages::mix(backend ^ stages::mix(bucket + 1));
  const double uniform = (static_cast<double>(hash >> 11) + 0.5) * 0x1p-53;  // in (0, 1)
  return -static_cast<double>(weight) / std::log(uniform);
}

}  // namespace

std::array<std::uint8_t, stages::kBackendBuckets> fill_buckets(
    std::span<const LoadBalanceStage::Backend> backends) {
  std::array<std::uint8_t, stages::kBackendBuckets> owners{};
  for (std::uint32_t bucket = 0; bucket < owners.size(); ++bucket) {
    double strongest = -1;
    for (std::size_t i = 0; i < backends.size(); ++i) {
      const double own = claim(identity(backends[i]), bucket, backends[i].weight);
      if (own <= strongest) continue;
      strongest = own;
      owners[bucket] = static_cast<std::uint8_t>(i);
    }
  }
  return owners;
}

}  // namespace ringside::pipeline
