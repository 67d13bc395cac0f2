// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Types of single values: numbers, words, names, references.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/pipeline/stages.hpp"
#include "lib/pipeline/typed_value.hpp"
#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {

struct NumberRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  Unit unit = Unit::kNone;
  bool power_of_two = false;
};

/// Empty when what the node says is outside of the range, after saying so.
std::optional<std::uint64_t> read_number(const Node& node, const std::string& path,
                                         const NumberRange& range, Reading& reading);
Json write_number(std::uint64_t value, const NumberRange& range);
Json number_schema(const NumberRange& range);

template <class T>
class NumberType final : public Typed<T> {
 public:
  explicit NumberType(NumberRange range) : range_(range) {}

 private:
  void read_value(const Node& node, const std::string& path, T& into,
                  Reading& reading) const override {
    if (const auto value = read_number(node, path, range_, reading)) {
      into = static_cast<T>(*value);
    }
  }
  Json write_value(const T& from) const override { return write_number(from, range_); }
  Json schema(Definitions&) const override { return number_schema(range_); }

  NumberRange range_;
};

/// A maximum of 0 is that of T.
template <class T>
TypeOf<T> number(NumberRange range) {
  if (range.max == 0) range.max = std::numeric_limits<T>::max();
  return {std::make_shared<NumberType<T>>(range)};
}

/// Empty when the node is none of the words, after saying so; else its index.
std::optional<std::size_t> read_word(const Node& node, const std::string& path,
                                     const std::vector<std::string_view>& words, Reading& reading);

template <class E>
class ChoiceType final : public Typed<E> {
 public:
  explicit ChoiceType(std::vector<std::pair<E, std::string_view>> choices) {
    for (const auto& [value, word] : choices) {
      values_.push_back(value);
      words_.push_back(word);
    }
  }

 private:
  void read_value(const Node& node, const std::string& path, E& into,
                  Reading& reading) const override {
    if (const auto index = read_word(node, path, words_, reading)) into = values_[*index];
  }
  Json write_value(const E& from) const override {
    std::size_t index = 0;
    while (values_[index] != from) ++index;
    return words_[index];
  }
  Json schema(Definitions&) const override { return {{"enum", words_}}; }

  std::vector<E> values_;
  std::vector<std::string_view> words_;
};

template <class E>
TypeOf<E> choice(std::vector<std::pair<E, std::string_view>> choices) {
  return {std::make_shared<ChoiceType<E>>(std::move(choices))};
}

/// T, or a keyword that stands for none.
template <class T>
class OptionalType final : public Typed<std::optional<T>> {
 public:
  OptionalType(std::string_view keyword, TypeOf<T> type) : keyword_(keyword), type_(type) {}

 private:
  void read_value(const Node& node, const std::string& path, std::optional<T>& into,
                  Reading& reading) const override {
    into.reset();
    if (node.is_scalar() && node.scalar == keyword_) return;
    const std::size_t errors = reading.problems.errors();
    T value{};
    type_.type->read(node, path, &value, reading);
    if (reading.problems.errors() == errors) into = std::move(value);
  }
  Json write_value(const std::optional<T>& from) const override {
    return from ? type_.type->write(&*from) : Json(keyword_);
  }
  Json schema(Definitions& definitions) const override {
    return {{"anyOf", Json::array({{{"const", keyword_}}, type_.type->schema(definitions)})}};
  }

  std::string_view keyword_;
  TypeOf<T> type_;
};

template <class T>
TypeOf<std::optional<T>> optional(std::string_view keyword, TypeOf<T> type) {
  return {std::make_shared<OptionalType<T>>(keyword, type)};
}

TypeOf<bool> boolean();
/// `allowed` says in words what `pattern`, an ECMAScript regular expression, lets through.
TypeOf<std::string> text(std::string_view pattern, std::string_view allowed);
/// Path of a file, or a word of the user's.
TypeOf<std::string> free_text();
/// Letters, digits, - and _; other places refer to it.
TypeOf<std::string> name(NameScope scope = NameScope::kList);
TypeOf<Reference> reference(ReferenceKind kind);
TypeOf<QueueReference> queue_reference(ReferenceKind kind);
TypeOf<Target> target(TargetChoice choice = {});
TypeOf<IpAddress> ip_address();
TypeOf<MacAddress> mac_address();
TypeOf<Ipv4Prefix> ipv4_prefix();

}  // namespace ringside::pipeline
