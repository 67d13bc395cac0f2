// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Values of header fields as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/pipeline/field.hpp"

namespace ringside::pipeline {

FieldBits all_bits(const FieldInfo& info);
/// None when it is no value of the field, or has too many bits.
std::optional<FieldBits> parse_field(const FieldInfo& info, std::string_view text);
std::string field_text(const FieldInfo& info, const FieldBits& value);
/// V/MASK: a prefix length for IP addresses, else a mask in the field's own form.
std::optional<FieldBits> parse_mask(const FieldInfo& info, std::string_view text);
std::string mask_text(const FieldInfo& info, const FieldBits& mask);
/// "a number up to 65535", "an IPv4 address"
std::string field_allowed(const FieldInfo& info);

}  // namespace ringside::pipeline
