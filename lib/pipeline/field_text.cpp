// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/field_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "lib/pipeline/address.hpp"
#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::size_t kBytes = std::tuple_size_v<FieldBits>;

template <class Bytes>
FieldBits right_aligned(const Bytes& bytes, std::size_t count) {
  FieldBits bits{};
  std::copy_n(bytes.begin(), count, bits.end() - static_cast<std::ptrdiff_t>(count));
  return bits;
}

FieldBits number_bits(std::uint64_t value) {
  FieldBits bits{};
  for (std::size_t i = kBytes; i-- > 8; value >>= 8) bits[i] = static_cast<std::uint8_t>(value);
  return bits;
}

bool is_ip(const FieldInfo& info) {
  return info.form == FieldForm::kIpv4 || info.form == FieldForm::kIpv6;
}

/// The leading `count` bits of the field.
FieldBits prefix_bits(const FieldInfo& info, std::uint64_t count) {
  FieldBits bits{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = 8 * kBytes - info.bits + i;
    bits[bit / 8] |= static_cast<std::uint8_t>(0x80U >> bit % 8);
  }
  return bits;
}

}  // namespace

FieldBits all_bits(const FieldInfo& info) {
  return prefix_bits(info, info.bits);
}

std::optional<FieldBits> parse_field(const FieldInfo& info, std::string_view text) {
  switch (info.form) {
    case FieldForm::kNumber: {
      const auto value = is_ambiguous(text) ? std::nullopt : parse_quantity(text, Unit::kNone);
      if (!value || *value >> info.bits != 0) return std::nullopt;
      return number_bits(*value);
    }
    case FieldForm::kMac: {
      const auto address = parse_mac(text);
      if (!address) return std::nullopt;
      return right_aligned(*address, address->size());
    }
    case FieldForm::kIpv4:
    case FieldForm::kIpv6: {
      const auto address = parse_ip(text);
      if (!address || address->v6 != (info.form == FieldForm::kIpv6)) return std::nullopt;
      return right_aligned(address->bytes, info.bits / 8U);
    }
  }
  return std::nullopt;
}

std::string field_text(const FieldInfo& info, const FieldBits& value) {
  if (info.form == FieldForm::kNumber) return fmt::format("{}", low_bits(value));
  const auto* const bytes = value.end() - info.bits / 8;
  if (info.form == FieldForm::kMac) {
    MacAddress address;
    std::copy_n(bytes, address.size(), address.begin());
    return mac_text(address);
  }
  IpAddress address{.v6 = info.form == FieldForm::kIpv6};
  std::copy_n(bytes, info.bits / 8, address.bytes.begin());
  return ip_text(address);
}

std::optional<FieldBits> parse_mask(const FieldInfo& info, std::string_view text) {
  if (!is_ip(info)) return parse_field(info, text);
  const auto length = parse_quantity(text, Unit::kNone);
  if (!length || *length > info.bits) return std::nullopt;
  return prefix_bits(info, *length);
}

std::string mask_text(const FieldInfo& info, const FieldBits& mask) {
  if (info.form == FieldForm::kNumber) return fmt::format("{:#x}", low_bits(mask));
  if (!is_ip(info)) return field_text(info, mask);
  int length = 0;
  for (const std::uint8_t byte : mask) length += std::popcount(byte);
  return fmt::format("{}", length);
}

std::string field_allowed(const FieldInfo& info) {
  switch (info.form) {
    case FieldForm::kNumber:
      return fmt::format("a number up to {}", (std::uint64_t{1} << info.bits) - 1);
    case FieldForm::kMac:
      return "a MAC address";
    case FieldForm::kIpv4:
      return "an IPv4 address";
    case FieldForm::kIpv6:
      return "an IPv6 address";
  }
  return {};
}

}  // namespace ringside::pipeline
