// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {
namespace {

struct Violation {
  std::string text;  ///< of its first time
  std::uint64_t times = 0;
};

struct Violations {
  std::mutex mutex;
  std::vector<Violation> in_order;
  std::unordered_map<std::string, std::size_t> place;  ///< in in_order
};

/// The key of all that come when the list is full.
const char* const kOthers = "violations of further kinds, which are not listed";

/// Never destroyed: the report is written after the destructors of static objects have run.
Violations& all() {
  static Violations& instance = *new Violations;
  return instance;
}

}  // namespace

void report_violation(const std::string& what, const std::string& details) {
  Violations& list = all();
  std::string text;
  {
    const std::lock_guard lock(list.mutex);
    auto entry = list.place.find(what);
    if (entry == list.place.end()) {
      const bool full = list.in_order.size() >= kMostViolations;
      text = full ? kOthers : what + details;
      entry = list.place.emplace(full ? kOthers : what, list.in_order.size()).first;
      if (entry->second == list.in_order.size()) list.in_order.push_back({text, 0});
    }
    if (++list.in_order[entry->second].times != 1) return;
  }
  print_line("violation: " + text);
}

std::vector<std::string> violations() {
  Violations& list = all();
  const std::lock_guard lock(list.mutex);
  std::vector<std::string> texts;
  texts.reserve(list.in_order.size());
  for (const Violation& violation : list.in_order) {
    texts.push_back(violation.times == 1
                        ? violation.text
                        : fmt::format("{}; {} times", violation.text, violation.times));
  }
  return texts;
}

}  // namespace softcx
