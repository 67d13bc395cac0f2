// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Commands on a DevX object, at once or with a completion that comes later.
#pragma once

#include <span>

#include "lib/softcx/abi/handles.hpp"

namespace softcx {

enum class DevxUse : std::uint8_t { kQuery, kModify };

/// Executes a command on `object`. Returns 0, EINVAL where the command is of the other use or names
/// another object, or EREMOTEIO where it is refused.
int devx_use(DevxUse use, mlx5dv_devx_obj& object, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out);

}  // namespace softcx
