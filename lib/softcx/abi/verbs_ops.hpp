// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The functions that libibverbs' inline verbs call through the context.
#pragma once

#include <infiniband/verbs.h>

namespace softcx {

/// Fills in all that the device has; verbs without a function give EOPNOTSUPP to the caller.
void set_verbs_ops(verbs_context& verbs);

}  // namespace softcx
