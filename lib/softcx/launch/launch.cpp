// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/launch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/softcx/launch/capture_check.hpp"
#include "lib/softcx/launch/clock_option.hpp"
#include "lib/softcx/launch/config_file.hpp"
#include "lib/softcx/launch/device_tree.hpp"
#include "lib/softcx/launch/init.hpp"
#include "lib/softcx/launch/judge.hpp"
#include "lib/softcx/launch/line_rate.hpp"
#include "lib/softcx/launch/netdevs.hpp"
#include "lib/softcx/launch/packet_socket.hpp"
#include "lib/softcx/launch/preload.hpp"
#include "lib/softcx/launch/private_view.hpp"
#include "lib/softcx/launch/privileges.hpp"
#include "lib/softcx/launch/report.hpp"
#include "lib/softcx/launch/supervise.hpp"

namespace softcx {
namespace {

using ringside::errno_text;
using ringside::Error;
using ringside::UniqueFd;

/// Descriptors that the command inherits are numbered from here, out of the way of shells.
constexpr int kFirstInheritedFd = 100;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", errno_text(errno)),
                "raise the limit of open files");
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd make_inheritable(const UniqueFd& fd) {
  UniqueFd copy(fcntl(fd.get(), F_DUPFD, kFirstInheritedFd));
  if (!copy) {
    throw Error(fmt::format("cannot duplicate a descriptor: {}", errno_text(errno)),
                "raise the limit of open files");
  }
  return copy;
}

void say(const std::string& line) {
  fmt::print(stderr, "softcx: {}\n", line);
}

void check_input(const Port& port) {
  const auto* pcap = std::get_if<PcapSpec>(&port.wire);
  if (pcap == nullptr || !pcap->in) return;
  const std::string remark = remarks(check_capture(*pcap->in));
  if (!remark.empty()) say(fmt::format("port {}: {}: {}", port.index, *pcap->in, remark));
}

/// Leaves an empty file, so that nobody takes an earlier run's capture for this one's.
void create_output(const Port& port) {
  const auto* pcap = std::get_if<PcapSpec>(&port.wire);
  if (pcap == nullptr || !pcap->out) return;
  const UniqueFd file(
      open(pcap->out->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file) {
    throw ringside::usage_error(
        fmt::format("cannot create the capture '{}': {}", *pcap->out, errno_text(errno)),
        "give out= a file in a folder that exists and can be written");
  }
}

void open_wire(Port& port) {
  const auto* netdev = std::get_if<NetdevSpec>(&port.wire);
  if (netdev == nullptr) return;
  const UniqueFd packet_socket = open_packet_socket(netdev->ifname);
  port.packet_socket = make_inheritable(packet_socket);
}

std::vector<Port> prepare_ports(const LaunchRequest& request) {
  std::vector<Port> ports;
  auto wires = parse_wires(request.wires);
  if (request.engines) check_engines(*request.engines, wires);
  for (auto& wire : wires) {
    ports.emplace_back(static_cast<unsigned>(ports.size()), std::move(wire));
  }
  for (const auto& port : ports) check_input(port);
  require_capabilities();
  for (auto& port : ports) open_wire(port);
  for (const auto& port : ports) create_output(port);
  return ports;
}

void set_environment(const std::string& preload) {
  const char* others = std::getenv("LD_PRELOAD");
  const bool alone = others == nullptr || *others == '\0';
  // Last: the run-time library of a sanitizer insists on being first.
  setenv("LD_PRELOAD", (alone ? preload : fmt::format("{}:{}", others, preload)).c_str(), 1);
  setenv("SYSFS_PCI_DEVICES", kPciFolder, 1);
  setenv("SOFTCX_CONFIG", kConfigFile, 1);
  setenv("RUNTIME_DIRECTORY", kRuntimeFolder, 1);
}

[[noreturn]] void exec_command(const std::vector<std::string>& command,
                               const std::string& preload) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  set_environment(preload);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  say(error == ENOENT
          ? fmt::format("command '{}' was not found: give a program in PATH or its path",
                        command[0])
          : fmt::format("command '{}' cannot be executed: {}", command[0], errno_text(error)));
  _exit(error == ENOENT ? 127 : 126);
}

void build_view(const std::vector<Port>& ports, const FaultPlan& faults,
                const std::string& config) {
  mount_private_view();
  make_netdevs(ports, faults);
  for (const auto& address : make_device_tree(ports, faults)) {
    say(fmt::format("this machine's own PCI device {} is hidden by a software port", address));
  }
  std::ofstream file(kConfigFile);
  if (!(file << config).flush()) {
    throw Error(fmt::format("cannot write '{}'", kConfigFile), "is there room in memory?");
  }
}

}  // namespace

int launch(const LaunchRequest& request) {
  const std::string preload = find_preload_library();
  // Faults first: a mistake in them must not cost an earlier run's captures.
  const auto port_count = static_cast<std::uint32_t>(parse_wires(request.wires).size());
  const FaultPlan faults = parse_faults(request.faults, port_count);
  const std::uint64_t line_rate =
      request.line_rate.empty() ? 0 : parse_line_rate(request.line_rate);
  const ClockOption clock = request.clock.empty() ? ClockOption{} : parse_clock(request.clock);
  const std::vector<Port> ports = prepare_ports(request);
  Pipe lifeline = make_pipe();
  Pipe report = make_pipe();
  UniqueFd report_end = make_inheritable(report.write);
  report.write.reset();
  const std::string config = config_text(ports, request, report_end.get(), line_rate, clock);

  const SignalWatch signals;
  leave_namespaces();
  const pid_t init = fork();
  if (init < 0) {
    throw Error(fmt::format("cannot fork: {}", errno_text(errno)), "raise the limit of processes");
  }
  if (init == 0) {
    lifeline.write.reset();
    die_with_parent(lifeline.read.get());
    try {
      build_view(ports, faults, config);
      _exit(run_as_init(signals, [&] { exec_command(request.command, preload); }));
    } catch (const Error& error) {
      say(error.what());
      _exit(error.exit_code());
    } catch (const std::exception& error) {
      say(error.what());
      _exit(1);
    }
  }
  report_end.reset();
  const Outcome outcome = supervise(signals, init, report.read.get());
  fmt::print(stderr, "{}", summarize(outcome.report, ports));
  if (!request.sanitize) return outcome.exit_status;
  const Judgement judgement = judge(outcome.report);
  fmt::print(stderr, "{}", judgement.lines);
  if (outcome.exit_status != 0) return outcome.exit_status;
  if (judgement.broken) return kBrokenRules;
  return judgement.complete ? 0 : kNotJudged;
}

}  // namespace softcx
