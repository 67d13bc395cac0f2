// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/core.h>

#include <set>
#include <unordered_map>

#include "lib/pipeline/chains.hpp"
#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/table_file.hpp"

namespace ringside::pipeline {
namespace {

/// A CSV file's entries are checked where they are read.
void check_entries(const RuleContext& context, const Table& table, const std::string& path) {
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const std::string entry_path = fmt::format("{}.entries[{}]", path, i);
    if (std::string why = complaint_of(table.entries[i]); !why.empty()) {
      context.problems.error(entry_path, std::move(why));
    }
    const auto [same, is_new] = first.try_emplace(key_of(table.entries[i]), i);
    if (!is_new) {
      context.problems.error(entry_path,
                             fmt::format("entries[{}] has this five-tuple already", same->second));
    }
  }
}

std::set<std::uint16_t> used_tables(const Config& config) {
  std::set<std::uint16_t> used;
  for (const Pipeline& pipeline : config.pipelines) {
    for (const Chain& chain : chains_of(pipeline, "")) {
      for (const Stage& stage : *chain.stages) {
        const auto* const lookup = std::get_if<LookupStage>(&stage.params);
        if (lookup != nullptr) used.insert(lookup->table.index);
      }
    }
  }
  return used;
}

}  // namespace

void check_tables(const RuleContext& context) {
  const std::set<std::uint16_t> used = used_tables(context.config);
  for (std::size_t i = 0; i < context.config.tables.size(); ++i) {
    const Table& table = context.config.tables[i];
    const std::string path = fmt::format("tables[{}]", i);
    if (table.file.empty()) check_entries(context, table, path);
    if (table.capacity && *table.capacity < table.entries.size()) {
      context.problems.error(path + ".capacity",
                             fmt::format("{} is below the {} entries that there are; use that, or "
                                         "auto",
                                         *table.capacity, table.entries.size()));
    }
    if (!used.contains(static_cast<std::uint16_t>(i))) {
      context.problems.warn(path, fmt::format("no stage lookup uses {}", table.name));
    }
  }
}

}  // namespace ringside::pipeline
