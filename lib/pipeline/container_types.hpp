// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Types made of others: lists, objects, and objects of one of several kinds. An object's defaults
// are those of its struct.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/pipeline/typed_value.hpp"

namespace ringside::pipeline {

/// Complains when the node is no list, or one of another length.
bool is_list(const Node& node, const std::string& path, std::size_t min, std::size_t max,
             Reading& reading);
Json list_schema(Json items, std::size_t min, std::size_t max);

template <class T>
class ListType final : public Typed<std::vector<T>> {
 public:
  ListType(TypeOf<T> item, std::size_t min, std::size_t max) : item_(item), min_(min), max_(max) {}

 private:
  void read_value(const Node& node, const std::string& path, std::vector<T>& into,
                  Reading& reading) const override {
    if (!is_list(node, path, min_, max_, reading)) return;
    // Sized once: references into it stay where they are.
    into = std::vector<T>(node.items.size());
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::string item_path = path + "[" + std::to_string(i) + "]";
      reading.problems.locate(item_path, node.items[i].mark);
      item_.type->read(node.items[i], item_path, &into[i], reading);
    }
  }
  Json write_value(const std::vector<T>& from) const override {
    Json json = Json::array();
    for (const T& item : from) json.push_back(item_.type->write(&item));
    return json;
  }
  Json schema(Definitions& definitions) const override {
    return list_schema(item_.type->schema(definitions), min_, max_);
  }

  TypeOf<T> item_;
  std::size_t min_;
  std::size_t max_;
};

inline constexpr std::size_t kMaxList = 65535;  // indices have 16 bits

template <class T>
TypeOf<std::vector<T>> list(TypeOf<T> item, std::size_t min = 0, std::size_t max = kMaxList) {
  return {std::make_shared<ListType<T>>(item, min, max)};
}

/// A key of an object.
struct Key {
  std::string_view name;
  std::string_view description;
  std::shared_ptr<const ValueType> type;
  std::function<const void*(const void*)> member;
  bool required = false;
  bool lead = false;    ///< the object may be written as this value alone
  bool if_set = false;  ///< not written back when it has the default
};

template <class T, class M>
Key key(std::string_view name, M T::*member, const TypeOf<M>& type, std::string_view description) {
  return {.name = name,
          .description = description,
          .type = type.type,
          .member = [member](const void* object) -> const void* {
            return &(static_cast<const T*>(object)->*member);
          }};
}
inline Key required(Key key) {
  key.required = true;
  return key;
}
inline Key lead(Key key) {
  key.lead = true;
  return key;
}
/// For values whose default is no value that could be written.
inline Key if_set(Key key) {
  key.if_set = true;
  return key;
}

class ObjectType final : public ValueType {
 public:
  ObjectType(std::vector<Key> keys, std::shared_ptr<const void> defaults)
      : keys_(std::move(keys)), defaults_(std::move(defaults)) {}

  void read(const Node& node, const std::string& path, void* into, Reading& reading) const override;
  Json write(const void* from) const override;
  Json schema(Definitions& definitions) const override;

 private:
  std::vector<Key> keys_;
  std::shared_ptr<const void> defaults_;
};

template <class T>
TypeOf<T> object(std::vector<Key> keys) {
  return {std::make_shared<ObjectType>(std::move(keys), std::make_shared<T>())};
}

/// One of the kinds of a tagged object: the key that says which it is, and its parameters.
struct Alternative {
  std::string_view name;
  std::string_view description;
  std::shared_ptr<const ValueType> type;
  std::function<void*(void*)> choose;                  ///< makes the object this kind
  std::function<const void*(const void*)> parameters;  ///< null when it is another kind
};

/// {KIND: PARAMETERS, common keys}, or just KIND for one that needs neither.
class TaggedType final : public ValueType {
 public:
  TaggedType(std::string_view what, std::vector<Alternative> alternatives, std::vector<Key> common,
             std::shared_ptr<const void> defaults)
      : what_(what),
        alternatives_(std::move(alternatives)),
        common_(std::move(common)),
        defaults_(std::move(defaults)) {}

  void read(const Node& node, const std::string& path, void* into, Reading& reading) const override;
  Json write(const void* from) const override;
  Json schema(Definitions& definitions) const override;

 private:
  const Alternative* find(std::string_view name) const;
  std::vector<std::string_view> names() const;
  void refuse_kind(const Node& node, const std::string& path, Reading& reading) const;
  void read_kind(const Alternative& kind, const Node* parameters, const Node& at,
                 const std::string& path, void* into, Reading& reading) const;

  std::string_view what_;
  std::vector<Alternative> alternatives_;
  std::vector<Key> common_;
  std::shared_ptr<const void> defaults_;
};

/// The variant of a tagged object; it may be the object itself.
template <class V>
V& variant_of(V& object) {
  return object;
}

template <class Owner, class P>
Alternative alternative(std::string_view name, const TypeOf<P>& type,
                        std::string_view description) {
  return {.name = name,
          .description = description,
          .type = type.type,
          .choose = [](void* owner) -> void* {
            return &variant_of(*static_cast<Owner*>(owner)).template emplace<P>();
          },
          .parameters = [](const void* owner) -> const void* {
            // Looked at only; the overload for objects that are written to serves both.
            return std::get_if<P>(&variant_of(*static_cast<Owner*>(const_cast<void*>(owner))));
          }};
}

template <class Owner>
TypeOf<Owner> tagged(std::string_view what, std::vector<Alternative> alternatives,
                     std::vector<Key> common = {}) {
  return {std::make_shared<TaggedType>(what, std::move(alternatives), std::move(common),
                                       std::make_shared<Owner>())};
}

/// Written once in the JSON Schema, and referred to by name everywhere.
class DefinedType final : public ValueType {
 public:
  DefinedType(std::string_view name, std::shared_ptr<const ValueType> type)
      : name_(name), type_(std::move(type)) {}

  void read(const Node& node, const std::string& path, void* into,
            Reading& reading) const override {
    type_->read(node, path, into, reading);
  }
  Json write(const void* from) const override { return type_->write(from); }
  Json schema(Definitions& definitions) const override;

 private:
  std::string name_;
  std::shared_ptr<const ValueType> type_;
};

template <class T>
TypeOf<T> defined(std::string_view name, TypeOf<T> type) {
  return {std::make_shared<DefinedType>(name, type.type)};
}

}  // namespace ringside::pipeline
