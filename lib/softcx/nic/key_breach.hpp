// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which rule a refused access through a memory key has broken.
#pragma once

#include <cstdint>
#include <string>

#include "lib/softcx/nic/device.hpp"

namespace softcx {

struct KeyBreach {
  RuleId rule;
  std::string how;
};

/// Of what Device::translate() refuses, by the same arguments. Not for the data path.
KeyBreach key_breach(const Device& device, std::uint32_t lkey, std::uint32_t pdn,
                     std::uint64_t address, std::uint32_t length, bool write);

}  // namespace softcx
