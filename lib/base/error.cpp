// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/error.hpp"

#include <cstring>

namespace ringside {

std::string errno_text(int error_number) {
  const char* name = strerrorname_np(error_number);
  return fmt::format("{} ({})", name != nullptr ? name : "errno",
                     name != nullptr ? strerrordesc_np(error_number) : std::to_string(error_number));
}

}  // namespace ringside
