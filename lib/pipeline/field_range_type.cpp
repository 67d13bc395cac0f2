// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/field_range_type.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>

#include "lib/pipeline/field_text.hpp"
#include "lib/pipeline/map_keys.hpp"
#include "lib/pipeline/typed_value.hpp"

namespace ringside::pipeline {
namespace {

using Words = std::vector<std::string_view>;

/// Of a UDP datagram over IPv4, those that a flow is told by.
constexpr Field kFields[] = {Field::kIpv4Src, Field::kIpv4Dst, Field::kUdpSrc, Field::kUdpDst};

std::string_view item_of(Field field) {
  return item_info(field_info(field).item).name;
}

Words item_names() {
  Words names;
  for (const Field field : kFields) {
    if (names.empty() || names.back() != item_of(field)) names.push_back(item_of(field));
  }
  return names;
}

Words field_names(std::string_view item) {
  Words names;
  for (const Field field : kFields) {
    if (item_of(field) == item) names.push_back(field_info(field).name);
  }
  return names;
}

const FieldInfo& field_named(std::string_view item, std::string_view name) {
  return field_info(*std::ranges::find_if(kFields, [&](Field field) {
    return item_of(field) == item && field_info(field).name == name;
  }));
}

class FieldRangesType final : public Typed<std::vector<FieldRange>> {
  using Visit = std::function<void(std::string_view key, const Node& value, const std::string&)>;
  static void read_map(const Node& node, const std::string& path, const Words& known,
                       Reading& reading, const Visit& visit) {
    if (!node.is_map() || node.items.empty()) {
      return refuse(node, path, fmt::format("a map of one at least of {}", fmt::join(known, ", ")),
                    reading);
    }
    for_each_key(node, path, known, reading, [&](const Node& key, const Node& value) {
      const std::string key_path = joined(path, key.scalar);
      reading.problems.locate(key_path, value.is_null() ? key.mark : value.mark);
      visit(key.scalar, value, key_path);
    });
  }
  void read_value(const Node& node, const std::string& path, std::vector<FieldRange>& into,
                  Reading& reading) const override {
    into.clear();
    read_map(node, path, item_names(), reading,
             [&](std::string_view item, const Node& fields, const std::string& item_path) {
               read_map(fields, item_path, field_names(item), reading,
                        [&](std::string_view name, const Node& value, const std::string& at) {
                          read_range(field_named(item, name), value, at, into, reading);
                        });
             });
    std::ranges::sort(into, {}, &FieldRange::field);
  }
  static void read_range(const FieldInfo& info, const Node& node, const std::string& path,
                         std::vector<FieldRange>& into, Reading& reading) {
    const std::string_view text = node.is_scalar() ? node.scalar : std::string_view();
    const std::size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
      const auto first = parse_field(info, text.substr(0, dash));
      const auto last = parse_field(info, text.substr(dash + 1));
      if (first && last) {
        if (*first <= *last) return into.push_back({info.field, *first, *last});
        return refuse(node, path, "a range that begins with its lower end", reading);
      }
    }
    refuse(node, path, "FIRST-LAST, each " + field_allowed(info), reading);
  }
  Json write_value(const std::vector<FieldRange>& from) const override {
    Json json = Json::object();
    for (const FieldRange& range : from) {
      const FieldInfo& info = field_info(range.field);
      json[std::string(item_of(range.field))][std::string(info.name)] =
          field_text(info, range.first) + "-" + field_text(info, range.last);
    }
    return json;
  }
  Json schema(Definitions&) const override {
    Json items = Json::object();
    for (const Field field : kFields) {
      const FieldInfo& info = field_info(field);
      Json& item = items[std::string(item_of(field))];
      item["description"] = item_info(info.item).description;
      item["type"] = "object";
      item["properties"][std::string(info.name)] = {
          {"description", info.description}, {"type", "string"}, {"pattern", "^[^-]+-[^-]+$"}};
      item["additionalProperties"] = false;
      item["minProperties"] = 1;
    }
    return {{"type", "object"},
            {"properties", items},
            {"additionalProperties", false},
            {"minProperties", 1}};
  }
};

}  // namespace

TypeOf<std::vector<FieldRange>> field_ranges() {
  return {std::make_shared<FieldRangesType>()};
}

}  // namespace ringside::pipeline
