// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/match_type.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "lib/pipeline/field_text.hpp"
#include "lib/pipeline/map_keys.hpp"
#include "lib/pipeline/match_rules.hpp"
#include "lib/pipeline/typed_value.hpp"
#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {
namespace {

using Words = std::vector<std::string_view>;

void read_map(
    const Node& node, const std::string& path, const Words& known, Reading& reading,
    const std::function<void(const Node& key, const Node& value, const std::string& path)>& visit) {
  if (!node.is_map()) return refuse(node, path, "a map, as in {udp: {dst: 53}}", reading);
  for_each_key(node, path, known, reading, [&](const Node& key, const Node& value) {
    const std::string key_path = joined(path, key.scalar);
    reading.problems.locate(key_path, value.is_null() ? key.mark : value.mark);
    visit(key, value, key_path);
  });
}

const ItemInfo& item_named(std::string_view name) {
  return *std::ranges::find(all_items(), name, &ItemInfo::name);
}

Words field_names(Item item, bool only_writable) {
  Words names;
  for (const FieldInfo& info : all_fields()) {
    if (info.item == item && (info.writable || !only_writable)) names.push_back(info.name);
  }
  return names;
}

const FieldInfo& field_named(Item item, std::string_view name) {
  return *std::ranges::find_if(
      all_fields(), [&](const FieldInfo& info) { return info.item == item && info.name == name; });
}

std::string allowed_values(const FieldInfo& info, Matcher matcher) {
  std::string text = field_allowed(info);
  const bool ip = info.form == FieldForm::kIpv4 || info.form == FieldForm::kIpv6;
  text += ip ? ", or ADDRESS/PREFIX" : ", or VALUE/MASK";
  if (matcher == Matcher::kStage) text += ", or FIRST-LAST";
  return text;
}

std::string hint(const FieldInfo& info, const Node& node) {
  return info.form == FieldForm::kNumber ? number_hint(node.scalar) : std::string();
}

std::optional<FieldMatch> read_field_match(const FieldInfo& info, const Node& node,
                                           const std::string& path, Matcher matcher,
                                           Reading& reading) {
  const auto wrong = [&] {
    refuse(node, path, allowed_values(info, matcher) + hint(info, node), reading);
    return std::nullopt;
  };
  if (!node.is_scalar()) return wrong();
  const std::string_view text = node.scalar;
  FieldMatch match{.field = info.field, .mask = all_bits(info)};
  const std::size_t slash = text.find('/');
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos && matcher == Matcher::kStage) {
    const auto first = parse_field(info, text.substr(0, dash));
    const auto last = parse_field(info, text.substr(dash + 1));
    if (!first || !last) return wrong();
    if (*first > *last) {
      refuse(node, path, "a range that begins with its lower end", reading);
      return std::nullopt;
    }
    match.first = *first;
    match.last = *last;
    return match;
  }
  const auto value = parse_field(info, text.substr(0, slash));
  if (!value) return wrong();
  if (slash != std::string_view::npos) {
    const auto mask = parse_mask(info, text.substr(slash + 1));
    if (!mask) return wrong();
    match.mask = *mask;
  }
  match.first = *value;
  for (std::size_t i = 0; i < match.first.size(); ++i) match.first[i] &= match.mask[i];
  if (match.first != *value) {
    refuse(node, path,
           fmt::format("{}/{}: the rest lies outside of the mask", field_text(info, match.first),
                       mask_text(info, match.mask)),
           reading);
    return std::nullopt;
  }
  match.last = match.first;
  return match;
}

Json field_json(const FieldInfo& info, const FieldBits& value) {
  if (info.form == FieldForm::kNumber) return low_bits(value);
  return field_text(info, value);
}

Json field_match_json(const FieldMatch& match) {
  const FieldInfo& info = field_info(match.field);
  if (match.first == match.last && match.mask == all_bits(info)) {
    return field_json(info, match.first);
  }
  std::string text = field_text(info, match.first);
  if (match.first != match.last) return text + "-" + field_text(info, match.last);
  return text + "/" + mask_text(info, match.mask);
}

Json field_schema(const FieldInfo& info) {
  Json text = {{"type", "string"}};
  if (info.form == FieldForm::kNumber) {
    const std::uint64_t max = (std::uint64_t{1} << info.bits) - 1;
    Json whole = {{"type", "integer"}, {"minimum", 0}, {"maximum", max}};
    return {{"description", info.description}, {"anyOf", Json::array({whole, text})}};
  }
  text["title"] = field_allowed(info);
  text["description"] = info.description;
  return text;
}

Json items_schema(const Words& items, bool only_writable) {
  Json properties = Json::object();
  for (const std::string_view name : items) {
    const ItemInfo& item = item_named(name);
    Json fields = Json::object();
    for (const std::string_view field : field_names(item.item, only_writable)) {
      fields[std::string(field)] = field_schema(field_named(item.item, field));
    }
    properties[std::string(name)] = {
        {"description", item.description},
        {"type", only_writable ? Json("object") : Json::array({"object", "null"})},
        {"properties", fields},
        {"additionalProperties", false}};
  }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

class MatchType final : public Typed<Match> {
 public:
  explicit MatchType(Matcher matcher) : matcher_(matcher) {
    for (const ItemInfo& item : all_items()) {
      // The PMD has no pattern for ARP.
      if (matcher == Matcher::kNic && (item.item == Item::kMeta || item.item == Item::kArp))
        continue;
      outer_.push_back(item.name);
      if (item.item < Item::kVxlan) inner_.push_back(item.name);
    }
    outer_.push_back("inner");
  }

 private:
  void read_items(const Node& node, const std::string& path, bool inner, Match& into,
                  Reading& reading) const {
    read_map(node, path, inner ? inner_ : outer_, reading,
             [&](const Node& key, const Node& value, const std::string& key_path) {
               if (key.scalar == "inner") return read_items(value, key_path, true, into, reading);
               const Item item = item_named(key.scalar).item;
               ItemMatch match{item, inner, {}};
               if (!value.is_null()) read_fields(value, key_path, match, reading);
               into.items.push_back(std::move(match));
             });
  }
  void read_fields(const Node& node, const std::string& path, ItemMatch& into,
                   Reading& reading) const {
    read_map(node, path, field_names(into.item, false), reading,
             [&](const Node& key, const Node& value, const std::string& key_path) {
               const FieldInfo& info = field_named(into.item, key.scalar);
               if (auto match = read_field_match(info, value, key_path, matcher_, reading)) {
                 into.fields.push_back(*match);
               }
             });
    std::ranges::sort(into.fields, {}, &FieldMatch::field);
  }
  void read_value(const Node& node, const std::string& path, Match& into,
                  Reading& reading) const override {
    into.items.clear();
    read_items(node, path, false, into, reading);
    std::ranges::sort(into.items, {},
                      [](const ItemMatch& match) { return std::pair(match.inner, match.item); });
    refuse_impossible(into, path, reading);
  }
  Json write_value(const Match& from) const override {
    Json json = Json::object();
    for (const ItemMatch& match : from.items) {
      Json fields = Json::object();
      for (const FieldMatch& field : match.fields) {
        fields[std::string(field_info(field.field).name)] = field_match_json(field);
      }
      Json& place = match.inner ? json["inner"] : json;
      place[std::string(item_info(match.item).name)] = std::move(fields);
    }
    return json;
  }
  Json schema(Definitions&) const override {
    Words outer = outer_;
    outer.pop_back();
    Json json = items_schema(outer, false);
    json["properties"]["inner"] = items_schema(inner_, false);
    json["properties"]["inner"]["description"] = "headers behind the tunnel's";
    return json;
  }

  Matcher matcher_;
  Words outer_;
  Words inner_;
};

class FieldValuesType final : public Typed<std::vector<FieldValue>> {
 public:
  FieldValuesType() {
    for (const ItemInfo& item : all_items()) {
      if (!field_names(item.item, true).empty()) items_.push_back(item.name);
    }
  }

 private:
  void read_value(const Node& node, const std::string& path, std::vector<FieldValue>& into,
                  Reading& reading) const override {
    into.clear();
    read_map(node, path, items_, reading,
             [&](const Node& key, const Node& value, const std::string& key_path) {
               read_fields(item_named(key.scalar).item, value, key_path, into, reading);
             });
    std::ranges::sort(into, {}, &FieldValue::field);
  }
  static void read_fields(Item item, const Node& node, const std::string& path,
                          std::vector<FieldValue>& into, Reading& reading) {
    read_map(node, path, field_names(item, true), reading,
             [&](const Node& key, const Node& value, const std::string& key_path) {
               const FieldInfo& info = field_named(item, key.scalar);
               const auto bits = value.is_scalar() ? parse_field(info, value.scalar) : std::nullopt;
               if (!bits) {
                 return refuse(value, key_path, field_allowed(info) + hint(info, value), reading);
               }
               into.push_back({info.field, *bits});
             });
  }
  Json write_value(const std::vector<FieldValue>& from) const override {
    Json json = Json::object();
    for (const FieldValue& value : from) {
      const FieldInfo& info = field_info(value.field);
      json[std::string(item_info(info.item).name)][std::string(info.name)] =
          field_json(info, value.value);
    }
    return json;
  }
  Json schema(Definitions&) const override { return items_schema(items_, true); }

  Words items_;
};

}  // namespace

TypeOf<Match> match(Matcher matcher) {
  return {std::make_shared<MatchType>(matcher)};
}
TypeOf<std::vector<FieldValue>> field_values() {
  return {std::make_shared<FieldValuesType>()};
}

}  // namespace ringside::pipeline
