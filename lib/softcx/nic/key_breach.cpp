// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/key_breach.hpp"

#include <fmt/core.h>

namespace softcx {

KeyBreach key_breach(const Device& device, std::uint32_t lkey, std::uint32_t pdn,
                     std::uint64_t address, std::uint32_t length, bool write) {
  const Mkey* const key = device.find_mkey(lkey);
  if (key == nullptr && device.was_mkey(lkey)) {
    return {RuleId::kKeyDeregistered, fmt::format("key {:#x} was deregistered", lkey)};
  }
  if (key == nullptr) return {RuleId::kKeyUnknown, fmt::format("no key is {:#x}", lkey)};
  if (key->pdn != pdn) {
    return {RuleId::kKeyDomain, fmt::format("key {:#x} of protection domain {:#x}, queue of {:#x}",
                                            lkey, key->pdn, pdn)};
  }
  if (!key->allows(write)) {
    return {write ? RuleId::kKeyLocalWrite : RuleId::kKeyLocalRead,
            fmt::format("key {:#x} has no local {}", lkey, write ? "write" : "read")};
  }
  return {RuleId::kKeyBounds, fmt::format("{} bytes at {:#x}, key {:#x} has {} at {:#x}", length,
                                          address, lkey, key->memory.length, key->iova)};
}

}  // namespace softcx
