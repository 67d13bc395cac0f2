// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Refused DevX commands in words: which command, why, and what to do about it.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/mlx5/format/prm_command.hpp"

namespace ringside::mlx5 {

/// "CREATE_SQ"; "command 0x123" has no name of its own and gives "".
std::string_view opcode_name(prm::Opcode opcode);
/// "BAD_PARAM", as the manual spells it; "" when unknown.
std::string_view status_name(prm::Status status);

/// The error of a command. `out`: the start of the answer (status and syndrome), or nullptr when
/// there is none. `subject`: what it was for, e.g. "send queue of 1024". `error_number`: errno.
Error command_error(prm::Opcode opcode, std::string_view subject, const std::uint8_t* out,
                    int error_number);

}  // namespace ringside::mlx5
