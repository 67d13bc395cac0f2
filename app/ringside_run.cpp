// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside run`: runs a pipeline file.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/subcommand.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/run.hpp"

namespace ringside::app {
namespace {

constexpr int kWrongUsage = 2;

}  // namespace

int run(std::span<const std::string> arguments) {
  pipeline::RunOptions options;
  double duration = 0;
  CLI::App app(
      "Runs the pipelines of a file until SIGINT or SIGTERM. SIGHUP reads the file again and "
      "takes\n"
      "over flows and parameters of stages while packets come. EAL options may follow --.\n"
      "Exit code: 0 success, 1 a run that failed, 2 wrong usage or configuration.",
      "ringside run");
  app.add_option("FILE", options.file, "The file")->required();
  app.add_flag("--json", options.json, "Print the final report as JSON, and nothing else there");
  auto* const duration_option =
      app.add_option("--duration", duration, "End after that many seconds")
          ->check(CLI::NonNegativeNumber);
  app.add_option("--packets", options.packets, "End after that many packets were received");
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) options.eal_arguments.assign(separator + 1, arguments.end());
  try {
    std::vector<std::string> words(arguments.begin() + 1, separator);
    std::ranges::reverse(words);
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (duration_option->count() > 0) options.duration_s = duration;
  return pipeline::run(options, Runtime::create);
}

}  // namespace ringside::app
