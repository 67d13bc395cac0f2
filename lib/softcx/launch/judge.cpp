// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/judge.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

using nlohmann::json;

std::string broken_lines(const json& broken) {
  const auto name = broken.at("rule").get<std::string>();
  const RuleEntry* const entry = find_rule(name);
  return fmt::format(
      "softcx: sanitize: {}: {}: {}, first: {}\n"
      "softcx: sanitize:   {} ({})\n",
      name, broken.at("object").get<std::string>(),
      broken.at("times") == 1 ? "once"
                              : fmt::format("{} times", broken.at("times").get<std::uint64_t>()),
      broken.at("first").get<std::string>(),
      entry != nullptr ? entry->text : "a rule of another version of softcx",
      entry != nullptr ? entry->source : "unknown");
}

}  // namespace

Judgement judge(const std::string& text) {
  Judgement judgement;
  std::size_t opened = 0, reports = 0;
  std::istringstream stream(text);
  try {
    for (stream >> std::ws; stream.good(); stream >> std::ws) {
      json report;
      stream >> report;
      if (report.contains("opened")) {
        ++opened;
        continue;
      }
      ++reports;
      for (const auto& broken : report.value("broken", json::array())) {
        judgement.broken = true;
        judgement.lines += broken_lines(broken);
      }
    }
  } catch (const json::exception&) {  // summarize() says so, with the cause
    judgement.lines += "softcx: sanitize: the rest of the report cannot be read\n";
    judgement.complete = false;
    return judgement;
  }
  if (opened > reports) {
    judgement.complete = false;
    judgement.lines += fmt::format(
        "softcx: sanitize: {} of {} processes that opened a port cannot be judged: "
        "they ended without a report, by a signal or by _exit()\n",
        opened - reports, opened);
  } else if (reports == 0) {
    judgement.lines = "softcx: sanitize: nothing was judged: the command opened no port\n";
  } else if (!judgement.broken) {
    judgement.lines = "softcx: sanitize: no rule was broken\n";
  }
  return judgement;
}

}  // namespace softcx
