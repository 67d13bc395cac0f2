// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Calls of the ABI that this device refuses.
#pragma once

namespace softcx {

/// Says once (with SOFTCX_LOG=1) that `function` is not supported, sets errno, and returns
/// EOPNOTSUPP.
int unsupported(const char* function);

}  // namespace softcx
