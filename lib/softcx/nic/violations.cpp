// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/violations.hpp"

#include <fmt/core.h>

#include <mutex>
#include <unordered_map>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {
namespace {

struct Violations {
  std::mutex mutex;
  std::vector<Violation> in_order;
  std::unordered_map<std::string, std::size_t> place;  ///< in in_order
};

/// Take the places of all that come when the list is full.
const char* const kOthers = "violations of further kinds, which are not listed";
const char* const kOtherObjects = "further objects";

/// Never destroyed: the report is written after the destructors of static objects have run.
Violations& all() {
  static Violations& instance = *new Violations;
  return instance;
}

std::string line(const Violation& violation) {
  if (violation.rule == nullptr) return violation.text;
  return fmt::format("{}: {} [{}]", violation.object, violation.text, violation.rule->name);
}

std::string key_of(const Violation& violation) {
  if (violation.rule == nullptr) return violation.text;
  return fmt::format("{}: {}", violation.object, violation.rule->name);
}

/// Counts `violation`; `key`: what all its times have in common.
void add(std::string key, Violation violation) {
  Violations& list = all();
  {
    const std::lock_guard lock(list.mutex);
    if (list.in_order.size() >= kMostViolations && !list.place.contains(key)) {
      // A rule is named however full the list is.
      (violation.rule != nullptr ? violation.object : violation.text) =
          violation.rule != nullptr ? kOtherObjects : kOthers;
      key = key_of(violation);
    }
    const auto entry = list.place.emplace(key, list.in_order.size()).first;
    if (entry->second == list.in_order.size()) list.in_order.push_back(violation);
    if (++list.in_order[entry->second].times != 1) return;
  }
  print_line("violation: " + line(violation));
}

}  // namespace

std::string object_name(const Device& device, std::string_view kind, std::uint32_t number) {
  return fmt::format("{}: {} {:#x}", device.ibdev, kind, number);
}

void report_broken(RuleId rule, const std::string& object, const std::string& how) {
  const RuleEntry* const entry = find_rule(rule);
  if (entry == nullptr || (entry->answer != NicAnswer::kNone && !sanitizing())) return;
  const Violation violation{entry, object, how, 0};
  add(key_of(violation), violation);
}

void report_violation(const std::string& what, const std::string& details) {
  add(what, {nullptr, {}, what + details, 0});
}

std::vector<Violation> all_violations() {
  Violations& list = all();
  const std::lock_guard lock(list.mutex);
  return list.in_order;
}

std::vector<std::string> violations() {
  std::vector<std::string> texts;
  for (const Violation& violation : all_violations()) {
    texts.push_back(violation.times == 1
                        ? line(violation)
                        : fmt::format("{}; {} times", line(violation), violation.times));
  }
  return texts;
}

}  // namespace softcx
