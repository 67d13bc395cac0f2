// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The threads of a kernel on the host GPU: blocks x threads, named gpu0-b3-t1 and the like. They
// run on the given CPUs and take no signals. All of them exist before the first one runs, since
// those of a block wait for each other.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"

namespace ringside {

class BlockThreads {
 public:
  struct Config {
    std::string name;  ///< of the device, starts the threads' names
    unsigned blocks = 1;
    unsigned threads_per_block = 1;
    std::vector<unsigned> cpus;  ///< empty: all that the process was started on
  };
  using Body = std::function<void(unsigned block, unsigned thread)>;

  /// Throws Error, and then no body has run. `at_end` is called once, by the last thread that ends.
  BlockThreads(const Config& config, Body body, std::function<void()> at_end);
  BlockThreads(const BlockThreads&) = delete;
  BlockThreads& operator=(const BlockThreads&) = delete;
  /// All threads must have ended: std::thread terminates the program otherwise.
  ~BlockThreads();

  /// Waits until all threads have ended; false when the deadline passes first.
  bool wait(Deadline deadline);
  bool running() const noexcept;
  /// Blocks with a thread that has not ended.
  std::vector<unsigned> unfinished() const;

 private:
  enum class Gate { kClosed, kOpen, kCancelled };

  void start(const Config& config, unsigned block, unsigned thread, const cpu_set_t& cpus);
  void run(unsigned block, unsigned thread);
  void set_gate(Gate gate);
  void join_all();

  const Body body_;
  const std::function<void()> at_end_;
  mutable std::mutex mutex_;  ///< of the three members below
  std::condition_variable changed_;
  Gate gate_ = Gate::kClosed;
  std::vector<unsigned> left_;  ///< a block's threads that have not ended
  unsigned all_left_;
  std::vector<std::thread> threads_;
};

}  // namespace ringside
