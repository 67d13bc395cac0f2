// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The errno values that the kernel gives for refused commands of its own. (Commands that come
// through DevX give EREMOTEIO, whatever the status: the caller has the answer.)
#pragma once

#include <cerrno>

#include "lib/mlx5/format/prm_command.hpp"

namespace softcx {

constexpr int errno_of(ringside::prm::Status status) {
  using ringside::prm::Status;
  switch (status) {
    case Status::kOk:
      return 0;
    case Status::kInternalError:
    case Status::kBadSystemState:
    case Status::kBadInputLength:
    case Status::kBadOutputLength:
      return EIO;
    case Status::kResourceBusy:
      return EBUSY;
    case Status::kExceedsLimit:
      return ENOMEM;
    case Status::kNoResources:
      return EAGAIN;
    case Status::kBadOpcode:
    case Status::kBadParameter:
    case Status::kBadResource:
    case Status::kBadResourceState:
    case Status::kBadIndex:
      return EINVAL;
  }
  return EIO;
}

}  // namespace softcx
