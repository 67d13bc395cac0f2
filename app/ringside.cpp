// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside SUBCOMMAND ...`; called by the name dpdk-testpmd it is `ringside testpmd`.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "app/subcommand.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text.hpp"

namespace {

using ringside::Error;

struct Subcommand {
  std::string_view name;
  std::string_view help;
  int (*run)(std::span<const std::string> arguments);
};

constexpr Subcommand kSubcommands[] = {
    {"check", "all that is wrong with a pipeline file", ringside::app::check},
    {"run", "runs a pipeline file", ringside::app::run},
    {"testpmd", "dpdk-testpmd with GPU-driven rings, interactive or not", ringside::app::testpmd},
    {"nic-info", "what an mlx5 NIC says of itself", ringside::app::nic_info},
};

std::string usage() {
  std::string text = "Usage: ringside SUBCOMMAND [ARGUMENTS]\n\n";
  for (const Subcommand& subcommand : kSubcommands) {
    text += fmt::format("  {:<10} {}\n", subcommand.name, subcommand.help);
  }
  return text +
         "  --help     show this message; ringside SUBCOMMAND --help shows a subcommand's\n"
         "  --version  show the version\n"
         "\nExit code: 0 success, 1 a run that failed, 2 wrong usage or configuration.\n";
}

Error unknown_subcommand(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Subcommand& subcommand : kSubcommands) known.push_back(subcommand.name);
  const std::string_view near = ringside::nearest(name, known);
  return ringside::usage_error(
      fmt::format("unknown subcommand {}", ringside::in_quotes(name)),
      near.empty() ? "ringside --help lists them" : fmt::format("did you mean {}?", near));
}

int dispatch(std::vector<std::string> arguments) {
  const std::string program = std::filesystem::path(arguments.front()).filename();
  if (program == "dpdk-testpmd") return ringside::app::testpmd(arguments);
  if (arguments.size() < 2) {
    throw ringside::usage_error("no subcommand given", "ringside --help lists them");
  }
  const std::string& name = arguments[1];
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  if (name == "--version") {
    std::puts("ringside " RINGSIDE_VERSION);
    return 0;
  }
  for (const Subcommand& subcommand : kSubcommands) {
    if (name != subcommand.name) continue;
    std::vector<std::string> own(arguments.begin() + 1, arguments.end());
    own.front() = fmt::format("ringside {}", subcommand.name);
    return subcommand.run(own);
  }
  throw unknown_subcommand(name);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch({argv, argv + argc});
  } catch (const Error& error) {
    fmt::print(stderr, "ringside: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringside: {}\n", error.what());
    return 1;
  }
}
