// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which rules of the NIC a test has broken, as `softcx run --sanitize` would tell.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/softcx/nic/violations.hpp"

namespace softcx::test {

/// Sanitizes while it lives.
class RuleWatch {
 public:
  RuleWatch() : before_(all_violations()), sanitized_(g_sanitizing.exchange(true)) {}
  ~RuleWatch() { g_sanitizing.store(sanitized_); }
  RuleWatch(const RuleWatch&) = delete;
  RuleWatch& operator=(const RuleWatch&) = delete;

  /// Names of the rules that were broken meanwhile, each once, in the order of the report.
  std::vector<std::string> broken() const {
    std::vector<std::string> names;
    const auto now = all_violations();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].rule == nullptr) continue;
      const bool again = i >= before_.size() || now[i].times != before_[i].times;
      const std::string name(now[i].rule->name);
      if (again && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
    return names;
  }

 private:
  const std::vector<Violation> before_;
  const bool sanitized_;
};

}  // namespace softcx::test

/// The rule and no other was broken while `watch` lives. tests/system/test_softcx_rules.py reads
/// which rules have such a test: all of them must.
#define RS_EXPECT_BROKEN(watch, name) EXPECT_EQ((watch).broken(), std::vector<std::string>{name})
