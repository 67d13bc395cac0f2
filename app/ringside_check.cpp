// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside check`: all that is wrong with a pipeline file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/subcommand.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/footprint.hpp"
#include "lib/pipeline/load.hpp"
#include "lib/pipeline/runnable.hpp"

namespace ringside::app {
namespace {

constexpr int kWrong = 2;

std::size_t count(const pipeline::Loaded& loaded, pipeline::Problem::Severity severity) {
  return static_cast<std::size_t>(
      std::ranges::count(loaded.problems, severity, &pipeline::Problem::severity));
}

/// "1 error", "2 errors"
std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

int check(std::span<const std::string> arguments) {
  std::string file;
  std::string root = "/";
  bool resolved = false;
  bool json_schema = false;
  bool no_machine = false;
  CLI::App app(
      "Says all that is wrong with a pipeline file, and starts nothing.\n"
      "Exit code: 0 nothing is wrong, 2 something is. Warnings are no errors.",
      "ringside check");
  auto* const file_option = app.add_option("FILE", file, "The file");
  app.add_flag("--resolved", resolved,
               "Print the configuration with every default filled in; it can be run as it is")
      ->needs(file_option);
  app.add_flag("--json-schema", json_schema, "Print the JSON Schema of the format, for editors");
  auto* const machine_option = app.add_flag(
      "--no-machine", no_machine, "Do not compare with this machine's cores, devices and memory");
  app.add_option("--sysroot", root,
                 "Compare with the machine whose proc and sys are in this folder")
      ->check(CLI::ExistingDirectory)
      ->excludes(machine_option);
  try {
    std::vector<std::string> words(arguments.rbegin(), arguments.rend() - 1);
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrong;
  }
  if (json_schema) {
    std::fputs(pipeline::json_schema().c_str(), stdout);
    return 0;
  }
  if (file.empty()) throw usage_error("no file to check", "ringside check FILE");

  const auto machine = no_machine ? std::nullopt : std::optional(pipeline::read_machine(root));
  const pipeline::Loaded loaded = pipeline::load_runnable(file, machine ? &*machine : nullptr);
  for (const pipeline::Problem& problem : loaded.problems) {
    fmt::print(stderr, "{}\n", to_text(problem));
  }
  if (!loaded.ok()) {
    fmt::print(stderr, "{}: {}\n", file,
               counted(count(loaded, pipeline::Problem::Severity::kError), "error"));
    return kWrong;
  }
  if (resolved) {
    std::fputs(pipeline::resolved_yaml(loaded.config).c_str(), stdout);
    std::fputs(footprint_comment(pipeline::footprint_of(loaded.config)).c_str(), stdout);
  } else {
    const std::size_t warnings = count(loaded, pipeline::Problem::Severity::kWarning);
    fmt::print("{}: nothing wrong{}\n", file,
               warnings == 0 ? "" : ", " + counted(warnings, "warning"));
  }
  return 0;
}

}  // namespace ringside::app
