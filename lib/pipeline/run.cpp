// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/log.hpp"
#include "lib/cli/output.hpp"
#include "lib/cli/stop_signal.hpp"
#include "lib/pipeline/engine.hpp"
#include "lib/pipeline/load.hpp"
#include "lib/pipeline/run_report.hpp"
#include "lib/pipeline/runnable.hpp"

namespace ringside::pipeline {
namespace {

constexpr int kWrongFile = 2;
constexpr int kPollMs = 20;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr double kNsPerSecond = 1e9;

std::atomic<bool> g_reload{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// SIGHUP as a wish to read the file again, for as long as it lives. After StopSignal, which would
/// take it for the end of a terminal.
class ReloadSignal {
 public:
  ReloadSignal() {
    struct sigaction action {};
    action.sa_handler = [](int) { g_reload.store(true, std::memory_order_relaxed); };
    action.sa_flags = SA_RESTART;  // as StopSignal's
    sigaction(SIGHUP, &action, &before_);
  }
  ~ReloadSignal() { sigaction(SIGHUP, &before_, nullptr); }
  ReloadSignal(const ReloadSignal&) = delete;
  static bool take() { return g_reload.exchange(false, std::memory_order_relaxed); }

 private:
  struct sigaction before_ {};
};

class Run {
 public:
  Run(const RunOptions& options, Config config, Plan plan, Runtime& runtime, cli::StopSignal& stop)
      : options_(options),
        stop_(stop),
        runtime_(runtime),
        // With --json standard output is the report's alone.
        output_(options.json ? stderr : stdout),
        period_ns_(config.telemetry.stats_period_ms * kNsPerMs),
        json_file_(config.telemetry.json) {
    for (const Interface& interface : config.interfaces) names_.push_back(interface.name);
    engine_.emplace(std::move(config), std::move(plan), runtime,
                    [&stop] { return stop.requested(); });
  }

  int run() {
    for (const std::uint16_t port : runtime_.ports()) {
      const PortInfo info = runtime_.port_info(port);
      output_.print("{}: {} {}, {}\n", names_.at(port_index(port)), info.device_name,
                    info.mac_address, info.rings);
    }
    if (!engine_->kernels_note().empty()) output_.print("{}\n", engine_->kernels_note());
    start_ns_ = monotonic_ns();  // before the first packet
    engine_->start();
    output_.print("running\n");
    output_.flush();
    watch();
    return finish();
  }

 private:
  std::size_t port_index(std::uint16_t port) {
    const std::vector<std::uint16_t> ports = runtime_.ports();
    return static_cast<std::size_t>(std::ranges::find(ports, port) - ports.begin());
  }

  double seconds() const { return static_cast<double>(monotonic_ns() - start_ns_) / kNsPerSecond; }

  struct Totals {
    std::uint64_t received = 0, generated = 0, sent = 0, consumed = 0, dropped = 0;
    bool all_stopped = true;
  };
  Totals totals() {
    Totals totals;
    for (const StreamStats& stream : runtime_.stream_stats()) {
      totals.received += stream.rx_packets;
      totals.generated += stream.tx_generated;
      totals.sent += stream.tx_packets;
      totals.consumed += stream.consumed;
      totals.dropped += stream.dropped;
      if (stream.error.empty()) totals.all_stopped = false;
    }
    return totals;
  }

  bool over(const Totals& now) const {
    return now.all_stopped || engine_->finished() ||
           (options_.packets != 0 && now.received >= options_.packets) ||
           (options_.duration_s && seconds() >= *options_.duration_s);
  }

  void watch() {
    due_ns_ = start_ns_ + period_ns_;
    while (!stop_.requested() && !output_.lost()) {
      const Totals now = totals();
      if (over(now)) return;
      print_events();
      if (ReloadSignal::take()) reload();
      if (period_ns_ != 0 && monotonic_ns() >= due_ns_) {
        print_line(now);
        due_ns_ += period_ns_;
      }
      cli::wait_for_input(-1, stop_, kPollMs);
    }
  }

  /// Whether the run has failed, its end says: a link may come up late, a queue may go on again.
  void print_events() {
    for (const std::string& event : runtime_.take_events()) {
      clear_line();
      output_.flush();
      log(LogLevel::kWarning, "{}", event);
    }
  }

  /// One line that is written over on a terminal, a line each otherwise.
  void print_line(const Totals& now) {
    const double elapsed = seconds();
    const double rate = static_cast<double>(now.received - last_received_) /
                        std::max(elapsed - last_seconds_, 1e-3);
    last_received_ = now.received;
    last_seconds_ = elapsed;
    clear_line();
    output_.print("{:.1f} s  received {} ({:.0f}/s)  {}sent {}  consumed {}  dropped {}", elapsed,
                  now.received, rate,
                  now.generated != 0 ? fmt::format("generated {}  ", now.generated) : "", now.sent,
                  now.consumed, now.dropped);
    if (!terminal_) output_.write("\n");
    output_.flush();
    line_open_ = terminal_;
  }
  void clear_line() {
    if (line_open_) output_.write("\r\033[K");
    line_open_ = false;
  }

  void reload() {
    clear_line();
    try {
      Loaded loaded = load_runnable(options_.file, nullptr);
      for (const Problem& problem : loaded.problems) output_.print("{}\n", to_text(problem));
      if (!loaded.ok()) throw usage_error("the file has errors", "all runs on as before");
      const Plan plan = make_plan(loaded.config, options_.eal_arguments);
      const Telemetry telemetry = loaded.config.telemetry;
      std::vector<std::string> said = engine_->reload(std::move(loaded.config), plan);
      take(telemetry, said);
      if (said.empty()) said.emplace_back("nothing that a reload changes is different");
      for (const std::string& line : said) output_.print("reload: {}\n", line);
    } catch (const std::exception& error) {  // whatever it is, packets go on
      output_.print("reload refused: {}\n", error.what());
    }
    output_.flush();
  }

  void take(const Telemetry& telemetry, std::vector<std::string>& said) {
    const std::uint64_t period_ns = telemetry.stats_period_ms * kNsPerMs;
    if (period_ns == period_ns_ && telemetry.json == json_file_) return;
    period_ns_ = period_ns;
    json_file_ = telemetry.json;
    due_ns_ = monotonic_ns() + period_ns_;
    said.emplace_back("new telemetry");
  }

  /// The PMD reads the NIC's flow counters once a second.
  void await_flow_counters() {
    const std::vector<std::uint16_t> ports = runtime_.ports();
    const bool counts = std::ranges::any_of(
        ports, [this](std::uint16_t port) { return !runtime_.flow_counts(port).empty(); });
    if (counts) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }

  void write_report(const RunReport& report) {
    errno = 0;
    std::ofstream file(json_file_);
    file << report_json(report);
    file.close();  // which writes what is buffered
    if (file) return;
    log(LogLevel::kError, "cannot write the report to {}: {}", json_file_, errno_text(errno));
    failed_ = true;
  }

  int finish() {
    stop_.closing();
    const double elapsed = seconds();
    try {
      engine_->stop();
    } catch (const Error& error) {
      clear_line();
      output_.flush();
      log(LogLevel::kError, "{}", error.what());
      failed_ = true;
    }
    print_events();
    await_flow_counters();
    RunReport report = make_report(runtime_, *engine_, names_);
    report.seconds = elapsed;
    clear_line();
    output_.write(report_text(report));
    output_.flush();
    if (options_.json) {
      std::fputs(report_json(report).c_str(), stdout);
      std::fflush(stdout);
    }
    if (!json_file_.empty()) write_report(report);
    engine_.reset();
    runtime_.close([this](const char* step) { stop_.closing_step(step); });
    return failed_ || !report.errors.empty() || !report.sink_errors.empty() || !report.adds_up() ||
                   output_.lost()
               ? 1
               : 0;
  }

  const RunOptions& options_;
  cli::StopSignal& stop_;
  Runtime& runtime_;
  cli::Output output_;
  std::uint64_t period_ns_;
  std::string json_file_;
  const bool terminal_ = isatty(options_.json ? STDERR_FILENO : STDOUT_FILENO) != 0;
  std::vector<std::string> names_;
  std::optional<Engine> engine_;
  std::uint64_t start_ns_ = 0;
  std::uint64_t due_ns_ = 0;  // the next line
  std::uint64_t last_received_ = 0;
  double last_seconds_ = 0;
  bool line_open_ = false;
  bool failed_ = false;
};

}  // namespace

int run(const RunOptions& options, const RuntimeFactory& create) {
  const Machine machine = read_machine();
  Loaded loaded = load_runnable(options.file, &machine);
  for (const Problem& problem : loaded.problems) fmt::print(stderr, "{}\n", to_text(problem));
  if (!loaded.ok()) return kWrongFile;
  Plan plan = make_plan(loaded.config, options.eal_arguments);
  cli::StopSignal stop;
  const ReloadSignal reload;
  const std::unique_ptr<Runtime> runtime = create(plan.runtime);
  stop.started_up();
  return Run(options, std::move(loaded.config), std::move(plan), *runtime, stop).run();
}

}  // namespace ringside::pipeline
