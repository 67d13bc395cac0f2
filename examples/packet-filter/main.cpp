// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// packet-filter SECONDS [EAL options]: runs the kernel on one queue of each port.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "kernels/registry.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/runtime.hpp"

extern const ringside::UserKernel dns_only;

static std::atomic<bool> stop = false;

static void run(std::vector<std::string> arguments) {
  const std::string seconds = arguments.size() < 2 ? "" : arguments[1];
  char* rest = nullptr;
  const unsigned long duration = std::strtoul(seconds.c_str(), &rest, 10);
  if (duration == 0 || *rest != '\0') {
    throw ringside::usage_error("'" + seconds + "' is no duration",
                                "packet-filter SECONDS [EAL options]");
  }
  arguments.erase(arguments.begin() + 1);

  // EAL, the GPU, its packet memory, and per port a receive and a send queue by DevX.
  ringside::RuntimeConfig config;
  config.eal_args = arguments;
  config.mempool = ringside::MempoolKind::kGpu;
  const auto runtime = ringside::Runtime::create(config);

  // A block of the kernel for each stream: a receive queue, and the send queue it leads to.
  runtime->add_kernel(dns_only);
  ringside::ProgramLaunch launch{"dns_only", 0, {}};
  for (std::size_t i = 0; i < runtime->stream_stats().size(); ++i) {
    launch.blocks.push_back({.stream = i, .own = nullptr, .ring_depth = 0});
  }
  runtime->start_programs({launch});

  // From here on the CPU only looks on.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(duration);
  while (!stop && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const std::string& event : runtime->take_events()) std::puts(event.c_str());
  }
  runtime->stop_forwarding();
  for (const ringside::StreamStats& s : runtime->stream_stats()) {
    std::printf("received %lu, sent %lu, dropped %lu\n", s.rx_packets, s.tx_packets, s.dropped);
  }
  runtime->close([](const char*) {});
}

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { stop = true; });
  try {
    run({argv, argv + argc});
    return 0;
  } catch (const ringside::Error& error) {
    std::fprintf(stderr, "packet-filter: %s\n", error.what());
    return error.exit_code();
  }
}
