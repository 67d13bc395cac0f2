// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `softcx`: runs a command on software ConnectX ports.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/softcx/fault/table.hpp"
#include "lib/softcx/launch/launch.hpp"
#include "lib/softcx/rules/table.hpp"

namespace {

constexpr int kWrongUsage = 2;

constexpr const char* kDescription =
    "softcx run [--port WIRE]... [--engines N] [--line-rate RATE] [--clock CLOCK] "
    "[--fault NAME[:KEY=VALUE]...[,NAME...]] [--sanitize] -- COMMAND [ARG]...\n\n"
    "Runs COMMAND with software ConnectX ports 0000:ca:00.0, 0000:ca:00.1, ... (the ninth\n"
    "is 0000:ca:01.0, 16 at most). WIRE is\n"
    "  loop            what is sent comes back\n"
    "  cross:N         what is sent arrives at port N, which must be cross-wired in turn\n"
    "  pcap:in=FILE[,out=FILE][,loop=N][,pad]\n"
    "                  receives from a capture (N times, 0 for ever), sends into another\n"
    "  netdev:IFNAME   an interface of this machine\n"
    "  null            receives nothing, sends into nothing";

int run_program(int argc, char** argv) {
  softcx::LaunchRequest request;
  CLI::App app("A ConnectX in software, below libibverbs", "softcx");
  app.require_subcommand(1);
  CLI::App* const run = app.add_subcommand("run", kDescription);
  run->add_option("--port", request.wires, "Wire of the next port; one loop port without it")
      ->type_name("WIRE")
      ->allow_extra_args(false);
  run->add_option("--engines", request.engines,
                  "Threads that serve the ports; by default one for each port, or pair of "
                  "cross-wired ports, but half of the CPUs at most")
      ->type_name("N");
  run->add_option("--line-rate", request.line_rate,
                  "Rate of the ports' lines, as 25G: frames leave no faster, and captures and time "
                  "stamps say when; without it frames take no time")
      ->type_name("RATE");
  run->add_option("--clock", request.clock,
                  "What the ports' time stamps and waits count: real-time, or a counter's "
                  "frequency in kHz, 1000000 without it (a ConnectX-6 Dx has 156250)")
      ->type_name("CLOCK");
  run->add_option("--fault", request.faults, "What is to go wrong, see below")
      ->type_name("NAME[:KEY=VALUE]...")
      ->allow_extra_args(false);
  run->add_flag("--sanitize", request.sanitize,
                "Watch for broken rules of the NIC's programming (see `softcx rules`) and report "
                "them at the end; a command that succeeds but broke one gives exit status " +
                    std::to_string(softcx::kBrokenRules) + ", and " +
                    std::to_string(softcx::kNotJudged) +
                    " where a process with a port open ended without a report, and none is known "
                    "to be broken; who opens no port is not judged");
  run->footer("Faults, of all ports or of one (:port=N), with the defaults of their values:\n" +
              softcx::fault_help());

  const CLI::App* const rules = app.add_subcommand(
      "rules",
      "Prints the rules of the NIC's programming, as Markdown: what a command is refused for, and "
      "what `softcx run --sanitize` watches over");

  // The command is taken out first: CLI11 would interpret brackets in its arguments.
  char** const end = argv + argc;
  char** const separator = std::find(argv, end, std::string_view("--"));
  if (separator != end) request.command.assign(separator + 1, end);
  try {
    app.parse(static_cast<int>(separator - argv), argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  if (rules->parsed()) {
    fmt::print("{}", softcx::rules_markdown());
    return 0;
  }
  if (request.command.empty()) {
    throw ringside::usage_error(
        "no command to run",
        "softcx run [--port WIRE]... [--engines N] [--fault NAME]... -- COMMAND [ARG]...");
  }
  return softcx::launch(request);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const ringside::Error& error) {
    std::fprintf(stderr, "softcx: %s\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "softcx: %s\n", error.what());
    return 1;
  }
}
