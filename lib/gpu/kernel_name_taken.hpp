// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// An application's kernel has the name of another one: one text, whichever driver says it.
#pragma once

#include <string_view>

#include "lib/base/error.hpp"

namespace ringside {

inline Error kernel_name_taken(std::string_view name) {
  return usage_error(fmt::format("there is a kernel '{}' already", name),
                     "give yours another name, and add it once");
}

}  // namespace ringside
