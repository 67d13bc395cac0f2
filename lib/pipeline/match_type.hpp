// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Matches and field values in a file: {ipv4: {dst: 10.0.0.0/8}, udp: {dst: 53}}.
#pragma once

#include <vector>

#include "lib/pipeline/field.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// Who looks at the packet.
enum class Matcher : std::uint8_t {
  kNic,    ///< values and masks
  kStage,  ///< ranges and the items arp and meta too
};

/// Values: V, V/MASK or V/PREFIX, and FIRST-LAST. Refuses combinations that no packet can have.
TypeOf<Match> match(Matcher matcher);
/// Fields that the stage rewrite can write, at least one.
TypeOf<std::vector<FieldValue>> field_values();

}  // namespace ringside::pipeline
