// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The command engine: PRM commands as firmware takes them.
#pragma once

#include <cstdint>
#include <span>

#include "lib/mlx5/format/prm_command.hpp"
#include "lib/softcx/cmd/object_kind.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// Executes the command in `in` and writes the answer to `out`, which is zeroed first. Takes
/// device.control(). A refused command changes nothing; its status is returned, and stands in `out`
/// with the rule as syndrome (where `out` has room for them).
ringside::prm::Status execute(Device& device, std::span<const std::uint8_t> in,
                              std::span<std::uint8_t> out);

/// Destroys an object by its number (a key by its index), by the command that belongs to its kind.
ringside::prm::Status destroy(Device& device, ObjectKind kind, std::uint32_t id);

}  // namespace softcx
