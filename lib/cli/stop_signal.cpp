// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/stop_signal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"

namespace ringside::cli {
namespace {

// Handlers touch only these; they are lock-free and thereby safe there. No order is needed: the
// pipe carries the news, and the flags stand for themselves.
std::atomic<int> pipe_write_end{-1};
std::atomic<bool> starting_up{false};
std::atomic<std::uint64_t> first_stop_ns{0};  ///< 0: none
std::atomic<const char*> closing_at{""};      ///< a literal
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<const char*>::is_always_lock_free);

constexpr std::array kStopSignals = {SIGINT, SIGTERM, SIGHUP};

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void leave(std::string_view text) {
  say(text);
  _exit(1);
}

void on_stop(int) {
  const int saved_errno = errno;
  const std::uint64_t now = monotonic_ns();
  std::uint64_t first = 0;
  if (!first_stop_ns.compare_exchange_strong(first, now, std::memory_order_relaxed) &&
      now - first >= StopSignal::kImpatientNs) {
    leave("\nStopped a second time: the ports are left as they are.\n");
  }
  if (starting_up.load(std::memory_order_relaxed)) alarm(StopSignal::kStartUpLimitSeconds);
  const char byte = 0;
  // A full pipe already says what this byte would.
  [[maybe_unused]] const ssize_t written =
      write(pipe_write_end.load(std::memory_order_relaxed), &byte, 1);
  errno = saved_errno;
}

void on_limit(int) {
  if (starting_up.load(std::memory_order_relaxed)) {
    leave("\nStopped while starting up: the ports are left as they are.\n");
  }
  say("\nClosing did not end in 10 s, at: ");
  say(closing_at.load(std::memory_order_relaxed));
  leave(". The ports are left as they are.\n");
}

void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // interrupts no call of EAL or a driver; poll ends all the same
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error("cannot make a pipe for signals", errno_text(errno));
  }
  read_end_ = UniqueFd(ends[0]);
  write_end_ = UniqueFd(ends[1]);
  pipe_write_end.store(ends[1], std::memory_order_relaxed);
  first_stop_ns.store(0, std::memory_order_relaxed);
  starting_up.store(true, std::memory_order_relaxed);
  handle(SIGALRM, on_limit);
  handle(SIGPIPE, SIG_IGN);
  for (const int signal_number : kStopSignals) handle(signal_number, on_stop);
}

StopSignal::~StopSignal() {
  for (const int signal_number : kStopSignals) handle(signal_number, SIG_DFL);
  handle(SIGPIPE, SIG_DFL);
  if (closing_) {
    closing_step("end the process");
    return;
  }
  alarm(0);
  handle(SIGALRM, SIG_DFL);
}

void StopSignal::started_up() noexcept {
  starting_up.store(false, std::memory_order_relaxed);
  alarm(0);
}

void StopSignal::closing() noexcept {
  closing_ = true;
  closing_step("stop forwarding");
  alarm(kClosingLimitSeconds);
}

void StopSignal::closing_step(const char* step) noexcept {
  closing_at.store(step, std::memory_order_relaxed);
}

bool StopSignal::requested() const noexcept {
  return first_stop_ns.load(std::memory_order_relaxed) != 0;
}

Wake wait_for_input(int input, const StopSignal& stop, int timeout_ms) {
  std::array<pollfd, 2> watched{pollfd{stop.fd(), POLLIN, 0}, pollfd{input, POLLIN, 0}};
  const int ready = poll(watched.data(), watched.size(), timeout_ms);
  if (stop.requested()) return Wake::kStop;
  if (ready <= 0) return Wake::kTimeout;  // or a signal that is not ours
  return watched[1].revents != 0 ? Wake::kInput : Wake::kTimeout;
}

}  // namespace ringside::cli
