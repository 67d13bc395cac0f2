// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fields of features that are not among the capabilities.
#pragma once

#include <span>

#include "lib/softcx/cmd/command.hpp"

namespace softcx {

struct Unsupported {
  prm::Field field;
  const char* what;
};

/// Refuses a `kind` of object whose context asks for one of `features`.
inline void refuse_unsupported(const Command& command, const char* kind, prm::Context context,
                               std::span<const Unsupported> features) {
  for (const auto& [field, what] : features) {
    if (command.get(context / field) != 0) {
      refuse(Rule::kFeatureUnsupported, "{}: {} is not among the capabilities", kind, what);
    }
  }
}

}  // namespace softcx
