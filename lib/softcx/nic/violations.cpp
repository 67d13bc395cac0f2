// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <mutex>
#include <set>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {
namespace {

struct Violations {
  std::mutex mutex;
  std::vector<std::string> in_order;
  std::set<std::string> seen;
};

/// Never destroyed: the report is written after the destructors of static objects have run.
Violations& all() {
  static Violations& instance = *new Violations;
  return instance;
}

}  // namespace

void report_violation(const std::string& text) {
  Violations& list = all();
  {
    const std::lock_guard lock(list.mutex);
    if (!list.seen.insert(text).second) return;
    list.in_order.push_back(text);
  }
  print_line("violation: " + text);
}

std::vector<std::string> violations() {
  Violations& list = all();
  const std::lock_guard lock(list.mutex);
  return list.in_order;
}

}  // namespace softcx
