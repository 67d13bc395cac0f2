// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/testpmd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/cli/interpreter.hpp"
#include "lib/cli/line_reader.hpp"
#include "lib/cli/options.hpp"
#include "lib/cli/stop_signal.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

constexpr const char* kPrompt = "testpmd> ";
constexpr int kNewsPeriodMs = 100;
constexpr std::uint64_t kLinkWaitMs = 9000;  // as testpmd: a link takes seconds to train
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

class Testpmd {
 public:
  Testpmd(const TestpmdOptions& options, Runtime& runtime, StopSignal& stop)
      : options_(options), stop_(stop), output_(stdout), session_(runtime, output_) {}

  int run() {
    introduce();
    bool succeeded = true;
    for (const std::string& file : options_.command_files) {
      if (!finished()) run_file(file);
    }
    if (!finished()) succeeded = options_.interactive ? run_prompt() : run_unattended();
    return finish() && succeeded ? 0 : 1;
  }

 private:
  bool finished() const { return session_.quit_requested() || stop_.requested() || output_.lost(); }

  ReaderHooks hooks() {
    return {.news = [this] { return session_.take_event_text(); },
            .complete = [this](std::string_view line) { return complete(session_, line); }};
  }

  void introduce() {
    if (options_.interactive) output_.write("Interactive-mode selected\n");
    for (const PortInfo& info : session_.port_infos()) {
      output_.print("Configuring Port {0} (socket {1})\nPort {0}: {2}\nPort {0}: {3}\n", info.port,
                    info.socket, info.mac_address, info.rings);
    }
    output_.write("Checking link statuses...\n");
    output_.flush();
    wait_for_links();
    output_.write("Done\n");
    output_.flush();
  }

  std::vector<std::uint16_t> ports_without_link() {
    std::vector<std::uint16_t> down;
    for (const PortInfo& info : session_.port_infos()) {
      if (!info.link_up) down.push_back(info.port);
    }
    return down;
  }

  void wait_for_links() {
    const Deadline deadline = Deadline::after_ms(kLinkWaitMs);
    std::vector<std::uint16_t> down = ports_without_link();
    while (!down.empty() && !deadline.passed() && !finished()) {
      wait_for_input(-1, stop_, kNewsPeriodMs);
      down = ports_without_link();
    }
    for (const std::uint16_t port : down) {
      output_.print(
          "Port {}: no link: look at the cable and at the port at its other end, and that its "
          "netdev is up (ip link set dev IFNAME up)\n",
          port);
    }
    session_.print_events();
  }

  void run_lines(LineReader& reader) {
    while (!finished()) {
      const std::optional<std::string> line = reader.next();
      if (!line) break;
      execute(session_, *line);
      session_.print_events();
      output_.flush();
    }
  }

  void run_file(const std::string& path) {
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
      output_.print("Cannot read {}: {}\n", in_quotes(path), errno_text(errno));
      return;
    }
    const std::string name = std::filesystem::path(path).filename();
    run_lines(*make_stream_reader(file.get(), fmt::format("[{}] ", name), output_, stop_, hooks()));
    if (!finished()) output_.print("Read CLI commands from {}\n", path);
  }

  bool run_prompt() {
    if (options_.auto_start) {
      output_.write("Start automatic packet forwarding\n");
      session_.start(0);
    }
    const bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
    const auto reader = terminal
                            ? make_terminal_reader(kPrompt, output_, stop_, hooks())
                            : make_stream_reader(STDIN_FILENO, kPrompt, output_, stop_, hooks());
    run_lines(*reader);
    return true;
  }

  /// False when forwarding did not start or a stream stopped by itself.
  bool run_unattended() {
    output_.write("Not interactive: start packet forwarding\n");
    if (!session_.runtime().forwarding() && !session_.start(options_.tx_first ? 1 : 0)) {
      return false;
    }
    if (options_.stats_period == 0) output_.write("Press enter to exit\n");
    output_.flush();
    watch();
    const auto streams = session_.runtime().stream_stats();
    return std::all_of(streams.begin(), streams.end(),
                       [](const StreamStats& stream) { return stream.error.empty(); });
  }

  void watch() {
    // Statistics by the period go on without anybody at standard input, as in testpmd.
    const bool periodic = options_.stats_period != 0;
    const int input = periodic && isatty(STDIN_FILENO) == 0 ? -1 : STDIN_FILENO;
    const std::uint64_t period_ns = options_.stats_period * kNanosecondsPerSecond;
    std::uint64_t due_ns = monotonic_ns() + period_ns;
    while (!finished() && wait_for_input(input, stop_, kNewsPeriodMs) == Wake::kTimeout) {
      session_.print_events();
      if (periodic && monotonic_ns() >= due_ns) {
        show_statistics();
        due_ns += period_ns;
      }
      output_.flush();
    }
  }

  void show_statistics() {
    if (isatty(STDOUT_FILENO) != 0) output_.write("\033[2J\033[1;1H");
    output_.write("\nPort statistics ====================================");
    for (const std::uint16_t port : session_.runtime().ports()) session_.show_port_stats(port);
  }

  /// Stops what runs and closes the ports. False when something did not end in time.
  bool finish() {
    stop_.closing();
    Runtime& runtime = session_.runtime();
    bool succeeded = true;
    if (runtime.forwarding()) succeeded = session_.stop();
    session_.print_events();
    const std::vector<std::uint16_t> ports = runtime.ports();
    for (const std::uint16_t port : ports) {
      output_.print("\nStopping port {}...\nStopping ports...\nDone\n", port);
    }
    output_.flush();
    try {
      runtime.close([this](const char* step) { stop_.closing_step(step); });
      for (const std::uint16_t port : ports) {
        output_.print("\nShutting down port {0}...\nClosing ports...\nPort {0} is closed\nDone\n",
                      port);
      }
    } catch (const Error& error) {
      output_.print("{}\n", error.what());
      succeeded = false;
    }
    output_.write("\nBye...\n");
    output_.flush();
    return succeeded && !output_.lost();
  }

  const TestpmdOptions& options_;
  StopSignal& stop_;
  Output output_;
  Session session_;
};

}  // namespace

int run_testpmd(std::span<const std::string> arguments, const RuntimeFactory& create) {
  const TestpmdOptions options = parse_testpmd_options(arguments);
  if (options.help) {
    Output output(stdout);
    output.write(testpmd_usage(arguments.front()));
    output.flush();
    return 0;
  }
  StopSignal stop;
  const std::unique_ptr<Runtime> runtime = create(options.runtime);
  stop.started_up();
  return Testpmd(options, *runtime, stop).run();
}

}  // namespace ringside::cli
