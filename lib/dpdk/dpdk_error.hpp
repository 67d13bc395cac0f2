// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <string>

namespace ringside {

/// "ENOTSUP (Operation not supported)": the text of an errno value as DPDK functions give it,
/// negative or positive, or in rte_errno.
std::string dpdk_errno_text(int error_number);

}  // namespace ringside
