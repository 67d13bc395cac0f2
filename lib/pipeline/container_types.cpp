// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/container_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/pipeline/map_keys.hpp"

namespace ringside::pipeline {
namespace {

const Key* find_key(const std::vector<Key>& keys, std::string_view name) {
  for (const Key& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

const Key* lead_key(const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    if (key.lead) return &key;
  }
  return nullptr;
}

/// Keys are only looked up in const objects' tables, but what they are read into is ours to write.
void* member_of(const Key& key, void* object) {
  return const_cast<void*>(key.member(object));
}

void read_key(const Key& key, const Node& name, const Node& value, const std::string& path,
              void* object, Reading& reading) {
  const std::string key_path = joined(path, key.name);
  reading.problems.locate(key_path, value.is_null() ? name.mark : value.mark);
  key.type->read(value, key_path, member_of(key, object), reading);
}

void refuse_missing(const std::vector<Key>& keys, const std::vector<const Key*>& seen,
                    const Node& node, const std::string& path, Reading& reading) {
  for (const Key& key : keys) {
    if (!key.required || std::ranges::find(seen, &key) != seen.end()) continue;
    reading.problems.error(node.mark, joined(path, key.name),
                           fmt::format("missing: {}", key.description));
  }
}

void write_keys(const std::vector<Key>& keys, const void* object, const void* defaults,
                Json& json) {
  for (const Key& key : keys) {
    Json value = key.type->write(key.member(object));
    if (key.if_set && value == key.type->write(key.member(defaults))) continue;
    json[std::string(key.name)] = std::move(value);
  }
}

/// Properties of an object's schema, with descriptions and defaults.
void add_properties(const std::vector<Key>& keys, const void* defaults, Definitions& definitions,
                    Json& properties) {
  for (const Key& key : keys) {
    Json schema = key.type->schema(definitions);
    Json described = {{"description", key.description}};
    if (!key.required && !key.if_set) described["default"] = key.type->write(key.member(defaults));
    // In draft 7 nothing beside a $ref counts.
    if (schema.contains("$ref")) schema = {{"allOf", Json::array({std::move(schema)})}};
    described.update(schema);
    properties[std::string(key.name)] = std::move(described);
  }
}

Json required_names(const std::vector<Key>& keys) {
  Json names = Json::array();
  for (const Key& key : keys) {
    if (key.required) names.push_back(key.name);
  }
  return names;
}

}  // namespace

bool is_list(const Node& node, const std::string& path, std::size_t min, std::size_t max,
             Reading& reading) {
  if (node.is_sequence() && node.items.size() >= min && node.items.size() <= max) return true;
  std::string allowed = "a list";
  if (max != kMaxList) {
    allowed += min == max ? fmt::format(" of {}", min) : fmt::format(" of {} to {}", min, max);
  } else if (min > 0) {
    allowed += fmt::format(" of at least {}", min);
  }
  if (node.is_sequence()) {
    reading.problems.error(node.mark, path,
                           fmt::format("a list of {}: use {}", node.items.size(), allowed));
  } else {
    refuse(node, path, allowed + ", as in [a, b]", reading);
  }
  return false;
}

Json list_schema(Json items, std::size_t min, std::size_t max) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (min > 0) schema["minItems"] = min;
  schema["maxItems"] = max;
  return schema;
}

void ObjectType::read(const Node& node, const std::string& path, void* into,
                      Reading& reading) const {
  const Key* const alone = lead_key(keys_);
  if (alone != nullptr && (node.is_scalar() || node.is_sequence())) {
    const std::string key_path = joined(path, alone->name);
    reading.problems.locate(key_path, node.mark);
    return alone->type->read(node, key_path, member_of(*alone, into), reading);
  }
  if (!node.is_map()) return refuse(node, path, "a map, as in {key: value}", reading);
  std::vector<std::string_view> known;
  for (const Key& key : keys_) known.push_back(key.name);
  std::vector<const Key*> seen;
  for_each_key(node, path, known, reading, [&](const Node& name, const Node& value) {
    const Key* const key = find_key(keys_, name.scalar);
    seen.push_back(key);
    read_key(*key, name, value, path, into, reading);
  });
  refuse_missing(keys_, seen, node, path, reading);
}

Json ObjectType::write(const void* from) const {
  Json json = Json::object();
  write_keys(keys_, from, defaults_.get(), json);
  return json;
}

Json ObjectType::schema(Definitions& definitions) const {
  Json properties = Json::object();
  add_properties(keys_, defaults_.get(), definitions, properties);
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  Json names = required_names(keys_);
  if (!names.empty()) schema["required"] = std::move(names);
  if (const Key* const alone = lead_key(keys_)) {
    return {{"anyOf", Json::array({alone->type->schema(definitions), std::move(schema)})}};
  }
  return schema;
}

const Alternative* TaggedType::find(std::string_view name) const {
  for (const Alternative& alternative : alternatives_) {
    if (alternative.name == name) return &alternative;
  }
  return nullptr;
}

std::vector<std::string_view> TaggedType::names() const {
  std::vector<std::string_view> names;
  for (const Alternative& alternative : alternatives_) names.push_back(alternative.name);
  return names;
}

void TaggedType::refuse_kind(const Node& node, const std::string& path, Reading& reading) const {
  std::string hint = node.is_scalar() ? did_you_mean(node.scalar, names()) : std::string();
  if (hint.empty()) hint = fmt::format("; there is {}", fmt::join(names(), ", "));
  reading.problems.error(node.mark, path, fmt::format("{}: no {}{}", shown(node), what_, hint));
}

void TaggedType::read_kind(const Alternative& kind, const Node* parameters, const Node& at,
                           const std::string& path, void* into, Reading& reading) const {
  void* const object = kind.choose(into);
  const std::string kind_path = joined(path, kind.name);
  reading.problems.locate(kind_path, at.mark);
  const Node none{.kind = Node::Kind::kMap, .mark = at.mark};
  const bool empty = parameters == nullptr || parameters->is_null();
  kind.type->read(empty ? none : *parameters, kind_path, object, reading);
}

void TaggedType::read(const Node& node, const std::string& path, void* into,
                      Reading& reading) const {
  const Alternative* chosen = nullptr;
  std::vector<const Key*> seen;
  if (node.is_map()) {
    std::vector<std::string_view> known = names();
    for (const Key& key : common_) known.push_back(key.name);
    for_each_key(node, path, known, reading, [&](const Node& name, const Node& value) {
      if (const Key* const key = find_key(common_, name.scalar)) {
        seen.push_back(key);
        return read_key(*key, name, value, path, into, reading);
      }
      const Alternative* const kind = find(name.scalar);
      if (chosen != nullptr) {
        reading.problems.error(name.mark, joined(path, kind->name),
                               fmt::format("a second {} beside {}: begin a new item of the list",
                                           what_, chosen->name));
        return;
      }
      chosen = kind;
      read_kind(*kind, &value, name, path, into, reading);
    });
    if (chosen == nullptr && seen.size() * 2 == node.items.size()) {
      refuse_kind(node, path, reading);
    }
  } else {
    chosen = node.is_scalar() ? find(node.scalar) : nullptr;
    if (chosen == nullptr) return refuse_kind(node, path, reading);
    read_kind(*chosen, nullptr, node, path, into, reading);
  }
  refuse_missing(common_, seen, node, path, reading);
}

Json TaggedType::write(const void* from) const {
  Json json = Json::object();
  write_keys(common_, from, defaults_.get(), json);
  for (const Alternative& kind : alternatives_) {
    if (const void* const parameters = kind.parameters(from)) {
      json[std::string(kind.name)] = kind.type->write(parameters);
    }
  }
  return json;
}

Json TaggedType::schema(Definitions& definitions) const {
  Json properties = Json::object();
  add_properties(common_, defaults_.get(), definitions, properties);
  Json one_of = Json::array();
  Json words = Json::array();
  for (const Alternative& kind : alternatives_) {
    Json type = kind.type->schema(definitions);
    properties[std::string(kind.name)] = {
        {"description", kind.description},
        {"anyOf", Json::array({std::move(type), {{"type", "null"}}})}};
    one_of.push_back({{"required", Json::array({kind.name})}});
    words.push_back(kind.name);
  }
  Json object = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  Json names = required_names(common_);
  if (!names.empty()) object["required"] = names;
  object["oneOf"] = std::move(one_of);
  if (!names.empty()) return object;
  return {{"anyOf", Json::array({{{"enum", std::move(words)}}, std::move(object)})}};
}

Json DefinedType::schema(Definitions& definitions) const {
  if (!definitions.contains(name_)) {
    definitions[name_];  // taken, before it is reached again from within
    definitions[name_] = type_->schema(definitions);
  }
  return {{"$ref", "#/definitions/" + name_}};
}

}  // namespace ringside::pipeline
