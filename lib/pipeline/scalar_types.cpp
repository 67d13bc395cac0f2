// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/scalar_types.hpp"

#include <fmt/core.h>

#include <regex>

#include "lib/base/text.hpp"
#include "lib/pipeline/address.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::string_view kNamePattern = "^[A-Za-z_][A-Za-z0-9_-]{0,62}$";
constexpr std::string_view kNameAllowed =
    "a name: a letter or _, then letters, digits, _ and -, 63 at most";
constexpr const char* kIpAllowed = "an IPv4 or IPv6 address";
constexpr const char* kMacAllowed = "a MAC address such as 02:00:00:00:00:01";
constexpr const char* kPrefixAllowed = "an IPv4 address and prefix such as 192.0.2.1/24";
/// Also keeps std::regex, which recurses, off long texts.
constexpr std::size_t kMaxWord = 255;
constexpr std::size_t kMaxText = 4095;

bool matches(std::string_view text, const std::regex& pattern) {
  return text.size() <= kMaxWord && std::regex_match(text.begin(), text.end(), pattern);
}

class TextType final : public Typed<std::string> {
 public:
  TextType(std::string_view pattern, std::string_view allowed)
      : pattern_(pattern), allowed_(allowed), regex_(pattern_) {}

 private:
  void read_value(const Node& node, const std::string& path, std::string& into,
                  Reading& reading) const override {
    if (!node.is_scalar() || !matches(node.scalar, regex_)) {
      return refuse(node, path, allowed_, reading);
    }
    into = node.scalar;
  }
  Json write_value(const std::string& from) const override { return from; }
  Json schema(Definitions&) const override {
    return {{"title", allowed_}, {"type", "string"}, {"pattern", pattern_}};
  }

  std::string pattern_;
  std::string allowed_;
  std::regex regex_;
};

class FreeTextType final : public Typed<std::string> {
  void read_value(const Node& node, const std::string& path, std::string& into,
                  Reading& reading) const override {
    if (!node.is_scalar() || node.scalar.empty() || node.scalar.size() > kMaxText ||
        node.scalar.find('\n') != std::string::npos) {
      return refuse(node, path, fmt::format("one line of 1 to {} bytes", kMaxText), reading);
    }
    into = node.scalar;
  }
  Json write_value(const std::string& from) const override { return from; }
  Json schema(Definitions&) const override {
    // Editors read a plain 80 as a number; it is as good as "80" here.
    return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}, {"maxLength", kMaxText}};
  }
};

class NameType final : public Typed<std::string> {
 public:
  explicit NameType(NameScope scope) : scope_(scope) {}

 private:
  void read_value(const Node& node, const std::string& path, std::string& into,
                  Reading& reading) const override {
    if (!node.is_scalar() || !matches(node.scalar, regex_)) {
      // What refers to it is right once it has a right name.
      if (node.is_scalar()) {
        reading.names[scope_of(path, scope_)].push_back({node.scalar, path, node.mark});
      }
      return refuse(node, path, std::string(kNameAllowed), reading);
    }
    if (scope_ == NameScope::kTargets &&
        (node.scalar == "next" || node.scalar == "drop" || node.scalar == "join")) {
      return refuse(node, path, "another name: next, drop and join mean something", reading);
    }
    into = node.scalar;
    reading.names[scope_of(path, scope_)].push_back({node.scalar, path, node.mark});
  }
  Json write_value(const std::string& from) const override { return from; }
  Json schema(Definitions&) const override {
    return {{"type", "string"}, {"pattern", kNamePattern}};
  }

  NameScope scope_;
  std::regex regex_{std::string(kNamePattern)};
};

class ReferenceType final : public Typed<Reference> {
 public:
  explicit ReferenceType(ReferenceKind kind) : kind_(kind) {}

 private:
  void read_value(const Node& node, const std::string& path, Reference& into,
                  Reading& reading) const override {
    if (!node.is_scalar()) return refuse(node, path, "a name", reading);
    into.name = node.scalar;
    reading.references.push_back({kind_, {&into, path}});
  }
  Json write_value(const Reference& from) const override { return from.name; }
  Json schema(Definitions&) const override {
    return {{"title", fmt::format("name of a {}", kind_name(kind_))},
            {"type", "string"},
            {"pattern", kNamePattern}};
  }

  ReferenceKind kind_;
};

class QueueReferenceType final : public Typed<QueueReference> {
 public:
  explicit QueueReferenceType(ReferenceKind kind) : kind_(kind) {}

 private:
  void read_value(const Node& node, const std::string& path, QueueReference& into,
                  Reading& reading) const override {
    if (!node.is_scalar()) return refuse(node, path, "INTERFACE.QUEUE", reading);
    into.name = node.scalar;
    reading.queues.push_back({kind_, {&into, path}});
  }
  Json write_value(const QueueReference& from) const override { return from.name; }
  Json schema(Definitions&) const override {
    return {{"title", fmt::format("INTERFACE.QUEUE, a {}", kind_name(kind_))},
            {"type", "string"},
            {"pattern", "^[A-Za-z_][A-Za-z0-9_-]*\\.[A-Za-z_][A-Za-z0-9_-]*$"}};
  }

  ReferenceKind kind_;
};

class TargetType final : public Typed<Target> {
 public:
  explicit TargetType(TargetChoice choice) : choice_(choice) {}

 private:
  void read_value(const Node& node, const std::string& path, Target& into,
                  Reading& reading) const override {
    if (!node.is_scalar()) return refuse(node, path, "a name", reading);
    into.name = node.scalar;
    reading.targets.push_back({choice_, {&into, path}});
  }
  Json write_value(const Target& from) const override { return from.name; }
  Json schema(Definitions&) const override {
    std::vector<std::string> may_be;
    if (choice_.next) may_be.emplace_back("next");
    if (choice_.drop) may_be.emplace_back("drop");
    if (choice_.join) may_be.emplace_back("join");
    may_be.emplace_back("a sink");
    if (choice_.branch) may_be.emplace_back("a branch");
    return {{"title", either_of(may_be)}, {"type", "string"}, {"pattern", kNamePattern}};
  }

  TargetChoice choice_;
};

class IpAddressType final : public Typed<IpAddress> {
  void read_value(const Node& node, const std::string& path, IpAddress& into,
                  Reading& reading) const override {
    const auto address = node.is_scalar() ? parse_ip(node.scalar) : std::nullopt;
    if (!address) return refuse(node, path, kIpAllowed, reading);
    into = *address;
  }
  Json write_value(const IpAddress& from) const override { return ip_text(from); }
  Json schema(Definitions&) const override {
    return {{"title", kIpAllowed}, {"type", "string"}, {"pattern", "^[0-9a-fA-F.:]+$"}};
  }
};

class MacAddressType final : public Typed<MacAddress> {
  void read_value(const Node& node, const std::string& path, MacAddress& into,
                  Reading& reading) const override {
    const auto address = node.is_scalar() ? parse_mac(node.scalar) : std::nullopt;
    if (!address) return refuse(node, path, kMacAllowed, reading);
    into = *address;
  }
  Json write_value(const MacAddress& from) const override { return mac_text(from); }
  Json schema(Definitions&) const override {
    return {{"title", kMacAllowed},
            {"type", "string"},
            {"pattern", "^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$"}};
  }
};

class Ipv4PrefixType final : public Typed<Ipv4Prefix> {
  void read_value(const Node& node, const std::string& path, Ipv4Prefix& into,
                  Reading& reading) const override {
    const auto prefix = node.is_scalar() ? parse_ipv4_prefix(node.scalar) : std::nullopt;
    if (!prefix) return refuse(node, path, kPrefixAllowed, reading);
    into = *prefix;
  }
  Json write_value(const Ipv4Prefix& from) const override { return ipv4_prefix_text(from); }
  Json schema(Definitions&) const override {
    return {{"title", kPrefixAllowed},
            {"type", "string"},
            {"pattern", "^([0-9]+\\.){3}[0-9]+/[0-9]+$"}};
  }
};

std::string allowed_numbers(const NumberRange& range) {
  std::string text = range.power_of_two ? "a power of two from " : "";
  text += quantity_text(range.min, range.unit);
  if (range.max != range.min) text += " to " + quantity_text(range.max, range.unit);
  if (range.unit != Unit::kNone) text += fmt::format(" (in {})", suffixes_of(range.unit));
  return text;
}

}  // namespace

std::optional<std::uint64_t> read_number(const Node& node, const std::string& path,
                                         const NumberRange& range, Reading& reading) {
  const std::string_view text = node.scalar;
  const auto value = is_ambiguous(text) ? std::nullopt : parse_quantity(text, range.unit);
  if (!value || *value < range.min || *value > range.max ||
      (range.power_of_two && (*value & (*value - 1)) != 0)) {
    refuse(node, path, allowed_numbers(range) + number_hint(text), reading);
    return std::nullopt;
  }
  return value;
}

Json write_number(std::uint64_t value, const NumberRange& range) {
  const std::string text = quantity_text(value, range.unit);
  if (text.find_first_not_of("0123456789") == std::string::npos) return value;
  return text;
}

Json number_schema(const NumberRange& range) {
  Json whole = {{"type", "integer"}, {"minimum", range.min}, {"maximum", range.max}};
  if (range.power_of_two) {
    whole = {{"enum", Json::array()}};
    for (std::uint64_t value = range.min; value <= range.max; value *= 2) {
      whole["enum"].push_back(value);
    }
  }
  if (range.unit == Unit::kNone) return whole;
  return {{"title", allowed_numbers(range)},
          {"anyOf",
           Json::array({whole, {{"type", "string"}, {"pattern", quantity_pattern(range.unit)}}})}};
}

std::optional<std::size_t> read_word(const Node& node, const std::string& path,
                                     const std::vector<std::string_view>& words, Reading& reading) {
  if (node.is_scalar()) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (node.scalar == words[i]) return i;
    }
  }
  std::vector<std::string> quoted(words.begin(), words.end());
  std::string allowed = either_of(quoted);
  if (node.is_scalar()) allowed += did_you_mean(node.scalar, words);
  refuse(node, path, allowed, reading);
  return std::nullopt;
}

class BooleanType final : public Typed<bool> {
  void read_value(const Node& node, const std::string& path, bool& into,
                  Reading& reading) const override {
    if (const auto index = read_word(node, path, {"false", "true"}, reading)) into = *index == 1;
  }
  Json write_value(const bool& from) const override { return from; }
  Json schema(Definitions&) const override { return {{"type", "boolean"}}; }
};

TypeOf<bool> boolean() {
  return {std::make_shared<BooleanType>()};
}
TypeOf<std::string> text(std::string_view pattern, std::string_view allowed) {
  return {std::make_shared<TextType>(pattern, allowed)};
}
TypeOf<std::string> free_text() {
  return {std::make_shared<FreeTextType>()};
}
TypeOf<std::string> name(NameScope scope) {
  return {std::make_shared<NameType>(scope)};
}
TypeOf<Reference> reference(ReferenceKind kind) {
  return {std::make_shared<ReferenceType>(kind)};
}
TypeOf<QueueReference> queue_reference(ReferenceKind kind) {
  return {std::make_shared<QueueReferenceType>(kind)};
}
TypeOf<Target> target(TargetChoice choice) {
  return {std::make_shared<TargetType>(choice)};
}
TypeOf<IpAddress> ip_address() {
  return {std::make_shared<IpAddressType>()};
}
TypeOf<Ipv4Prefix> ipv4_prefix() {
  return {std::make_shared<Ipv4PrefixType>()};
}
TypeOf<MacAddress> mac_address() {
  return {std::make_shared<MacAddressType>()};
}

}  // namespace ringside::pipeline
