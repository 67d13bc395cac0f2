// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/units.hpp"

#include <fmt/core.h>

#include <charconv>
#include <span>

namespace ringside::pipeline {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t kMega = kKilo * kKilo;
constexpr std::uint64_t kGiga = kMega * kKilo;

// Rising factors.
constexpr Suffix kBytes[] = {{"B", 1},          {"kB", kKilo}, {"KiB", 1U << 10}, {"MB", kMega},
                             {"MiB", 1U << 20}, {"GB", kGiga}, {"GiB", 1U << 30}};
constexpr Suffix kMicroseconds[] = {{"us", 1}, {"ms", kKilo}, {"s", kMega}};
constexpr Suffix kMilliseconds[] = {{"ms", 1}, {"s", kKilo}};
constexpr Suffix kBitRates[] = {
    {"bps", 1}, {"kbps", kKilo}, {"Mbps", kMega}, {"Gbps", kGiga}, {"Tbps", kGiga* kKilo}};
constexpr Suffix kPacketRates[] = {{"pps", 1}, {"kpps", kKilo}, {"Mpps", kMega}, {"Gpps", kGiga}};

std::span<const Suffix> table_of(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return {};
    case Unit::kBytes:
      return kBytes;
    case Unit::kMicroseconds:
      return kMicroseconds;
    case Unit::kMilliseconds:
      return kMilliseconds;
    case Unit::kBitRate:
      return kBitRates;
    case Unit::kPacketRate:
      return kPacketRates;
  }
  return {};
}

std::optional<std::uint64_t> parse_digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// digits[.digits] times `factor`, when that is whole.
std::optional<std::uint64_t> scaled(std::string_view digits, std::uint64_t factor) {
  const std::size_t point = digits.find('.');
  const auto whole = parse_digits(digits.substr(0, point), 10);
  if (!whole) return std::nullopt;
  std::uint64_t value = 0;
  if (__builtin_mul_overflow(*whole, factor, &value)) return std::nullopt;
  if (point == std::string_view::npos) return value;
  for (const char digit : digits.substr(point + 1)) {
    if (digit < '0' || digit > '9' || factor % 10 != 0) return std::nullopt;
    factor /= 10;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(digit - '0') * factor, &value)) {
      return std::nullopt;
    }
  }
  if (point + 1 == digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_quantity(std::string_view text, Unit unit) {
  if (text.starts_with("0x")) return parse_digits(text.substr(2), 16);
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) return parse_digits(text, 10);
  std::string_view suffix = text.substr(digits);
  if (suffix.starts_with(' ')) suffix.remove_prefix(1);
  for (const Suffix& known : table_of(unit)) {
    if (suffix == known.name) return scaled(text.substr(0, digits), known.factor);
  }
  return std::nullopt;
}

bool is_ambiguous(std::string_view text) {
  return text.size() > 1 && text.front() == '0' &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::string number_hint(std::string_view text) {
  const bool plus = text.starts_with('+');
  const std::string_view number = text.substr(plus ? 1 : 0);
  if (number.empty() || kDigits.find(number.front()) == std::string_view::npos) return {};
  if (is_ambiguous(number)) return "; write it without a 0 in front, which some take for octal";
  if (number.starts_with("0o") || number.starts_with("0b"))
    return "; write it in decimal, or as 0x1f";
  if (number.find_first_not_of("0123456789.eE+-_") != std::string_view::npos) return {};
  if (number.find('_') != std::string_view::npos) return "; write it without _";
  if (number.find_first_of(".eE") != std::string_view::npos)
    return "; write it without a point or exponent";
  return plus ? "; write it without +" : "";
}

std::string quantity_text(std::uint64_t value, Unit unit) {
  if (unit == Unit::kBytes || unit == Unit::kMicroseconds) return fmt::format("{}", value);
  Suffix best{"", 1};
  for (const Suffix& suffix : table_of(unit)) {
    if (best.name.empty() || (value != 0 && value % suffix.factor == 0)) best = suffix;
  }
  return fmt::format("{}{}", value / best.factor, best.name);
}

std::string suffixes_of(Unit unit) {
  std::string text;
  for (const Suffix& suffix : table_of(unit)) {
    if (!text.empty()) text += ", ";
    text += suffix.name;
  }
  return text;
}

std::string quantity_pattern(Unit unit) {
  std::string names;
  for (const Suffix& suffix : table_of(unit)) {
    if (!names.empty()) names += '|';
    names += suffix.name;
  }
  return "^(0x[0-9a-fA-F]+|[0-9]+|[0-9]+(\\.[0-9]+)? ?(" + names + "))$";
}

}  // namespace ringside::pipeline
