// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What steering refuses, with the errno that rdma-core's mlx5dv_dr_* would set.
#pragma once

#include <string>
#include <utility>

#include "lib/base/error.hpp"

namespace softcx {

class Refusal : public ringside::Error {
 public:
  Refusal(int error_number_in, std::string what)
      : Error(std::move(what), {}), error_number(error_number_in) {}
  const int error_number;
};

}  // namespace softcx
