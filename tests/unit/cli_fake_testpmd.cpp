// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside testpmd` over a FakeRuntime, for tests of the terminal, pipes and signals that need
// neither root nor a NIC. RINGSIDE_FAKE makes something go wrong: slow-start,
// stream-error, endless-close, endless-exit.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/cli/testpmd.hpp"
#include "tests/unit/cli_fake_runtime.hpp"

namespace {

using namespace ringside;

/// Its counters run while it forwards, and one of its streams may fail half a second after start.
class LiveRuntime : public FakeRuntime {
 public:
  LiveRuntime(RuntimeConfig config, std::string_view fault)
      : FakeRuntime(std::move(config)),
        fails_(fault == "stream-error"),
        closes_(fault != "endless-close") {}

  void start_forwarding(std::uint32_t tx_first) override {
    FakeRuntime::start_forwarding(tx_first);
    started_ns_ = monotonic_ns();
  }
  PortStats port_stats(std::uint16_t port) override {
    if (forwarding()) {
      const std::uint64_t packets = (monotonic_ns() - started_ns_) / 1'000'000U;
      stats[port] = {.rx_packets = packets,
                     .rx_bytes = packets * 64,
                     .tx_packets = packets,
                     .tx_bytes = packets * 64};
    }
    return stats[port];
  }
  std::vector<std::string> take_events() override {
    if (!fails_ || !forwarding() || monotonic_ns() - started_ns_ < 500'000'000U) return {};
    fails_ = false;
    streams.front().error = "send queue stopped";
    return {"port 0 queue 0: send queue stopped"};
  }
  void close(const CloseStep& tell) override {
    tell("close the ports");
    while (!closes_) pause();
    FakeRuntime::close(tell);
  }

 private:
  bool fails_;
  bool closes_;
  std::uint64_t started_ns_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const char* const wish = std::getenv("RINGSIDE_FAKE");
  const std::string_view fault = wish == nullptr ? "" : wish;
  const std::vector<std::string> arguments(argv, argv + argc);
  try {
    return cli::run_testpmd(arguments, [fault](RuntimeConfig config) {
      if (fault == "slow-start") {
        fmt::print("starting up\n");
        std::fflush(stdout);
        while (true) pause();
      }
      if (fault == "endless-exit") {
        std::atexit([] {
          while (true) pause();
        });
      }
      return std::make_unique<LiveRuntime>(std::move(config), fault);
    });
  } catch (const Error& error) {
    fmt::print(stderr, "ringside: {}\n", error.what());
    return error.exit_code();
  }
}
