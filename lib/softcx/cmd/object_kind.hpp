// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The kinds of objects that commands create.
#pragma once

#include <cstdint>

namespace softcx {

enum class ObjectKind : std::uint8_t {
  kPd,
  kTransportDomain,
  kMkey,
  kCq,
  kTis,
  kSq,
  kRq,
  kRqt,
  kTir,
  kQCounter,
  kFlowCounter,
};

}  // namespace softcx
