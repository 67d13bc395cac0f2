// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the preload library is.
#pragma once

#include <string>

namespace softcx {

/// Absolute path of libsoftcx.so: what SOFTCX_PRELOAD names, else where it lies from this program
/// in the build tree, or in an installed one. Throws if there is none.
std::string find_preload_library();

}  // namespace softcx
