// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which bits of a command mean something. All others are reserved, told by answers only, or belong
// to features that are not among the capabilities: they have to be zero.
#pragma once

#include <cstdint>
#include <span>

#include "lib/softcx/cmd/command.hpp"

namespace softcx {

struct Layout {
  std::span<const std::uint8_t> known;  ///< a bit for each that means something: the fixed part
  std::uint32_t list = 0;               ///< the same of every dword behind it, for a list there
};

/// The layout of a command's input.
const Layout& layout_of(prm::Opcode opcode);

/// Refuses a command with a reserved bit that is not zero, and names its dword.
void check_reserved(std::span<const std::uint8_t> in, const Layout& layout);

}  // namespace softcx
