// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The capabilities that a private view of the machine needs.
#pragma once

namespace softcx {

/// Throws a usage error that names the first capability that is missing.
void require_capabilities();

}  // namespace softcx
