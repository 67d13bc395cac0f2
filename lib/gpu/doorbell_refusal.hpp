// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU's driver does not let the GPU write a NIC's register: one text, whichever driver says it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "lib/base/error.hpp"

namespace ringside {

inline Error doorbell_refusal(const void* doorbell, const std::string& reason) {
  return {
      fmt::format("the GPU may not write the NIC's doorbell at {}: {}", fmt::ptr(doorbell), reason),
      "run as root, or load the nvidia module with "
      "NVreg_RegistryDwords=\"PeerMappingOverride=1;\"; --gpu-doorbells=cpu does without"};
}

}  // namespace ringside
