// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/cli/option_table.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

using Arguments = std::span<const std::string>;

std::string names_of(const OptionSpec& spec) {
  const std::string name = fmt::format("--{}", spec.name);
  return spec.letter == 0 ? name : fmt::format("-{},{}", spec.letter, name);
}

Error unknown_argument(const std::string& argument) {
  if (is_eal_option(argument)) {
    return usage_error(fmt::format("{} is an EAL option", in_quotes(argument)),
                       "EAL options come before --");
  }
  if (!argument.starts_with('-')) {
    return usage_error(
        fmt::format("unexpected argument {}", in_quotes(argument)),
        "what stands behind -- are testpmd options, and NICs (-a NIC) come before it");
  }
  std::vector<std::string> storage;
  for (const OptionSpec& spec : option_table()) storage.push_back(fmt::format("--{}", spec.name));
  const std::vector<std::string_view> known(storage.begin(), storage.end());
  const std::string name = argument.substr(0, argument.find('='));
  const std::string_view near = name.size() > 2 ? nearest(name, known) : std::string_view{};
  return usage_error(
      fmt::format("unknown option {}", in_quotes(name)),
      near.empty() ? "--help lists the options" : fmt::format("did you mean {}?", near));
}

/// An argument before `--` that only testpmd knows: EAL would answer with a page of its own usage.
void refuse_testpmd_options(Arguments eal) {
  for (const std::string& argument : eal) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    const bool ours =
        name == "-i" ||
        (name.starts_with("--") && name != "--help" &&
         std::any_of(option_table().begin(), option_table().end(),
                     [name](const OptionSpec& spec) { return name.substr(2) == spec.name; }));
    if (ours) {
      throw usage_error(fmt::format("{} is a testpmd option", in_quotes(name)),
                        "testpmd options come after --");
    }
  }
}

void parse_own(Arguments arguments, TestpmdOptions& options) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  for (const OptionSpec& spec : option_table()) {
    if (spec.value.empty()) {
      parser
          .add_flag_function(names_of(spec),
                             [&options, &spec](std::int64_t) {
                               spec.apply(options, {spec.name, {}});
                             })
          ->disable_flag_override();
    } else {
      parser
          .add_option_function<std::vector<std::string>>(
              names_of(spec),
              [&options, &spec](const std::vector<std::string>& values) {
                for (const std::string& text : values) spec.apply(options, {spec.name, text});
              })
          ->allow_extra_args(false);
    }
  }
  try {
    parser.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    const std::size_t begin = text.find_first_not_of('-');
    const std::string name = text.substr(begin, text.find_first_of(": ", begin) - begin);
    const std::string option = fmt::format("{}{}", name.size() > 1 ? "--" : "-", name);
    const bool flag = text.find("override") != std::string::npos;
    throw usage_error(fmt::format("{} {}", option, flag ? "takes no value" : "needs a value"),
                      "--help shows how it is written");
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "--help lists the options");
  }
  const std::vector<std::string> extras = parser.remaining();
  if (!extras.empty()) throw unknown_argument(extras.front());
}

bool given(Arguments own, std::string_view name) {
  return std::any_of(own.begin(), own.end(), [name](const std::string& argument) {
    return std::string_view(argument).substr(0, argument.find('=')) == name;
  });
}

/// Options that contradict each other, and defaults that depend on others.
void reconcile(Arguments own, TestpmdOptions& options) {
  RuntimeConfig& runtime = options.runtime;
  const bool gpu_pool = is_for_gpu(runtime.mempool);
  if (given(own, "--gpu-launch")) {
    const std::string launch = fmt::format(
        "--gpu-launch={}", kGpuLaunchNames[static_cast<std::size_t>(runtime.gpu_launch)]);
    if (!gpu_pool) {
      throw usage_error(launch + " needs packets that the GPU reaches",
                        "add --mp-alloc=gpu or --mp-alloc=gpu-pinned");
    }
    if (given(own, "--datapath")) {
      throw usage_error(launch + " says by itself who drives the rings", "leave --datapath out");
    }
  }
  if (!given(own, "--datapath")) {
    runtime.datapath = !gpu_pool                                      ? Datapath::kCpu
                       : runtime.gpu_launch == GpuLaunch::kPersistent ? Datapath::kGpu
                                                                      : Datapath::kLaunch;
  }
  if (runtime.datapath == Datapath::kGpu && !gpu_pool) {
    throw usage_error("--datapath=gpu needs packets in GPU memory", "add --mp-alloc=gpu");
  }
  if (!gpu_pool && given(own, "--gpu-id")) {
    throw usage_error(fmt::format("--gpu-id={} has no effect without --mp-alloc=gpu",
                                  fmt::join(runtime.gpu_ids, ",")),
                      "add --mp-alloc=gpu or leave it out");
  }
  if (runtime.datapath != Datapath::kGpu && given(own, "--gpu-rings")) {
    throw usage_error(fmt::format("--gpu-rings={} has no effect where the CPU drives the rings",
                                  kGpuRingsNames[static_cast<std::size_t>(runtime.rings)]),
                      "use --mp-alloc=gpu with --datapath=gpu or leave it out");
  }
  if (runtime.datapath != Datapath::kGpu && given(own, "--gpu-doorbells")) {
    throw usage_error(fmt::format("--gpu-doorbells={} has no effect where the CPU drives the rings",
                                  kGpuDoorbellsNames[static_cast<std::size_t>(runtime.doorbells)]),
                      "use --mp-alloc=gpu with --datapath=gpu or leave it out");
  }
  if (runtime.datapath != Datapath::kGpu && given(own, "--trace")) {
    throw usage_error("--trace has no effect where the CPU drives the rings",
                      "use --mp-alloc=gpu with --datapath=gpu or leave it out");
  }
  if (runtime.strides && !given(own, "--mbuf-size")) {
    runtime.mbuf_size = 0;  // what the strides need
  }
  if (runtime.datapath == Datapath::kCpu && given(own, "--gpu-block-threads")) {
    throw usage_error(fmt::format("--gpu-block-threads={} has no effect on the CPU's data path",
                                  runtime.threads_per_block),
                      "use --mp-alloc=gpu with --datapath=gpu or leave it out");
  }
  if (options.tx_first && options.interactive) {
    throw usage_error("--tx-first does not go with --interactive",
                      "type start tx_first at the prompt");
  }
  for (const std::string& file : options.command_files) {
    if (access(file.c_str(), R_OK) == 0) continue;
    const std::string cause = errno_text(errno);
    throw usage_error(fmt::format("--cmdline-file: cannot read {}", in_quotes(file)), cause);
  }
}

}  // namespace

TestpmdOptions parse_testpmd_options(std::span<const std::string> arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const auto eal_count = static_cast<std::size_t>(separator - arguments.begin());
  const Arguments eal = arguments.first(eal_count);
  const Arguments own =
      separator == arguments.end() ? Arguments{} : arguments.subspan(eal_count + 1);

  TestpmdOptions options;
  options.runtime.eal_args.assign(eal.begin(), eal.end());
  options.help = given(eal, "--help") || given(eal, "-h");
  if (options.help) return options;
  refuse_testpmd_options(eal);
  parse_own(own, options);
  if (!options.help) reconcile(own, options);
  return options;
}

std::string testpmd_usage(std::string_view program) {
  std::string usage = fmt::format("\nUsage: {} [EAL options] -- [testpmd options]\n\n", program);
  for (const OptionSpec& spec : option_table()) {
    usage += "  ";
    if (spec.letter != 0) usage += fmt::format("-{}, ", spec.letter);
    usage += fmt::format("--{}{}{}: {}\n", spec.name, spec.value.empty() ? "" : "=", spec.value,
                         spec.help);
  }
  usage +=
      "\nEAL options choose cores and devices: -l CORES, -a NIC, --vdev=gpu_host0 (a GPU made of\n"
      "CPU threads) and all others of DPDK's EAL.\n"
      "\nWithout --interactive, forwarding starts at once and ends with Enter or the end of "
      "standard\n"
      "input; with --stats-period it ends with Enter on a terminal and otherwise with SIGINT or\n"
      "SIGTERM. In interactive mode the end of standard input is `quit`.\n"
      "\nExit code: 0 success, 1 a run that failed, 2 wrong usage or configuration.\n";
  return usage;
}

}  // namespace ringside::cli
