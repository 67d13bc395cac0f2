// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/dpdk_error.hpp"

#include <rte_errno.h>

#include <cstdlib>

#include "lib/base/error.hpp"

namespace ringside {

std::string dpdk_errno_text(int error_number) {
  const int positive = std::abs(error_number);
  return positive >= RTE_MIN_ERRNO ? std::string(rte_strerror(positive)) : errno_text(positive);
}

}  // namespace ringside
