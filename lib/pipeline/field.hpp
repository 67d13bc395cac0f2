// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Header fields that flows and stages match, and some that stages write. Names are those of
// rte_flow's items and their fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/stages/items.hpp"

namespace ringside::pipeline {

using stages::Field;
using stages::Item;

/// An unsigned number of as many bits as the field has: big-endian, right-aligned.
using FieldBits = std::array<std::uint8_t, 16>;
/// The low 64 bits.
constexpr std::uint64_t low_bits(const FieldBits& bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i < bits.size(); ++i) value = value << 8 | bits[i];
  return value;
}

enum class FieldForm : std::uint8_t { kNumber, kMac, kIpv4, kIpv6 };

struct ItemInfo {
  Item item;
  std::string_view name;
  std::string_view description;
};
std::span<const ItemInfo> all_items();  ///< in the order of Item
const ItemInfo& item_info(Item item);

struct FieldInfo {
  Field field;
  Item item;
  std::string_view name;  ///< without that of its item
  std::uint8_t bits;
  FieldForm form;
  bool writable;  ///< by the stage rewrite
  std::string_view description;
};
std::span<const FieldInfo> all_fields();  ///< in the order of Field
const FieldInfo& field_info(Field field);

/// A packet has it when first <= (field & mask) <= last.
struct FieldMatch {
  Field field;
  FieldBits mask{};
  FieldBits first{};
  FieldBits last{};  ///< equal to first unless a range was given, which only stages take
};

/// A header is there, and its fields are these.
struct ItemMatch {
  Item item;
  bool inner;  ///< behind the tunnel header
  std::vector<FieldMatch> fields;
};

/// Everything of it holds; without any item it matches every packet. Outer items first, each part
/// in the order of Item.
struct Match {
  std::vector<ItemMatch> items;
};

struct FieldValue {
  Field field;
  FieldBits value;
};

/// first to last, of a field of up to 64 bits.
struct FieldRange {
  Field field;
  FieldBits first;
  FieldBits last;
};

/// Every packet of `narrow` matches `wide` too, as far as can be told from one of each.
bool covers(const Match& wide, const Match& narrow);

}  // namespace ringside::pipeline
