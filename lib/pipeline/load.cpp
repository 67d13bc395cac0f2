// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/load.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lib/pipeline/fill_in.hpp"
#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/schema.hpp"
#include "lib/pipeline/source_text.hpp"
#include "lib/pipeline/table_file.hpp"
#include "lib/pipeline/value_type.hpp"
#include "lib/pipeline/yaml_text.hpp"

namespace ringside::pipeline {
namespace {

std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

void read_table_files(Config& config, const std::string& folder, Problems& problems) {
  for (std::size_t i = 0; i < config.tables.size(); ++i) {
    Table& table = config.tables[i];
    const std::string path = "tables[" + std::to_string(i) + "]";
    if (problems.any_error_in(path)) continue;
    if (table.file.empty() == table.entries.empty()) {
      problems.error(path, table.file.empty() ? "no entries: give it entries, or the file of them"
                                              : "entries and a file of them: keep one of them");
    } else if (!table.file.empty()) {
      table.entries = read_table_file(table.file, folder, path + ".file", problems);
    }
  }
}

/// `judge`: none: by the format alone.
void load_into(std::string_view text, Config& config, const Machine* machine, const Judge& judge,
               Problems& problems) {
  if (!check_characters(text, problems)) return;
  const Node root = parse_yaml(without_bom(text), problems);
  if (problems.any_error()) return;
  if (root.is_null()) {
    return problems.error(Mark{1, 1}, "", "the file says nothing: begin with version: 1");
  }
  Reading reading{.problems = problems};
  config_type().type->read(root, "", &config, reading);
  if (!root.is_map()) return;
  resolve_references(reading);
  const std::string folder = folder_of(problems.file());
  read_table_files(config, folder, problems);
  check_rules({config, machine, folder, judge != nullptr, problems});
  if (!problems.any_error()) fill_in(config, folder);
  if (judge) judge(config, problems);
}

}  // namespace

bool Loaded::ok() const {
  return std::ranges::none_of(problems, [](const Problem& problem) {
    return problem.severity == Problem::Severity::kError;
  });
}

Loaded load_file(const std::string& file, const Machine* machine, const Judge& judge) {
  Problems problems(file);
  Loaded loaded;
  std::string why;
  if (const auto text = read_file(file, kMaxFileBytes, why)) {
    load_into(*text, loaded.config, machine, judge, problems);
  } else {
    problems.error(Mark{}, "", why);
  }
  loaded.problems = problems.take();
  return loaded;
}

Loaded load_text(std::string_view text, const std::string& file, const Machine* machine) {
  Problems problems(file);
  Loaded loaded;
  load_into(text, loaded.config, machine, nullptr, problems);
  loaded.problems = problems.take();
  return loaded;
}

Json config_json(const Config& config) {
  return config_type().type->write(&config);
}

std::string resolved_yaml(const Config& config) {
  // Entries of a file stay there.
  Config printed = config;
  for (Table& table : printed.tables) {
    if (!table.file.empty()) table.entries.clear();
  }
  return yaml_text(config_json(printed));
}

std::string json_schema() {
  Definitions definitions;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Ringside pipeline, version 1"}};
  schema.update(config_type().type->schema(definitions));
  for (auto& [name, definition] : definitions) schema["definitions"][name] = definition;
  return schema.dump(2) + "\n";
}

}  // namespace ringside::pipeline
