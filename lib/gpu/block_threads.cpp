// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/block_threads.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <system_error>

#include "lib/base/error.hpp"
#include "lib/gpu/cpu_set.hpp"

namespace ringside {
namespace {

constexpr std::size_t kLongestThreadName = 15;
constexpr std::chrono::milliseconds kDeadlineCheck{2};

/// Threads made while it lives take no signals: those are for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

BlockThreads::BlockThreads(const Config& config, Body body, std::function<void()> at_end)
    : body_(std::move(body)),
      at_end_(std::move(at_end)),
      left_(config.blocks, config.threads_per_block),
      all_left_(config.blocks * config.threads_per_block) {
  const cpu_set_t cpus = usable_cpus(config.cpus);
  threads_.reserve(all_left_);
  const SignalsBlocked signals_blocked;
  try {
    for (unsigned block = 0; block < config.blocks; ++block) {
      for (unsigned thread = 0; thread < config.threads_per_block; ++thread) {
        start(config, block, thread, cpus);
      }
    }
  } catch (const std::exception& error) {
    set_gate(Gate::kCancelled);
    join_all();
    throw Error(fmt::format("cannot start {} threads of {}: {}",
                            config.blocks * config.threads_per_block, config.name, error.what()),
                "use fewer queues or fewer threads a block, or raise the limit (ulimit -u)");
  }
  set_gate(Gate::kOpen);
}

BlockThreads::~BlockThreads() {
  if (!running()) join_all();
}

void BlockThreads::start(const Config& config, unsigned block, unsigned thread,
                         const cpu_set_t& cpus) {
  std::thread& made = threads_.emplace_back([this, block, thread] { run(block, thread); });
  const std::string name = fmt::format("{}-b{}-t{}", config.name, block, thread);
  pthread_setname_np(made.native_handle(), name.substr(0, kLongestThreadName).c_str());
  if (const int error = pthread_setaffinity_np(made.native_handle(), sizeof cpus, &cpus)) {
    throw std::system_error(error, std::generic_category(), "pthread_setaffinity_np");
  }
}

void BlockThreads::run(unsigned block, unsigned thread) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return gate_ != Gate::kClosed; });
    if (gate_ == Gate::kCancelled) return;
  }
  body_(block, thread);
  const std::lock_guard lock(mutex_);
  --left_[block];
  if (--all_left_ == 0) {
    at_end_();
    changed_.notify_all();
  }
}

void BlockThreads::set_gate(Gate gate) {
  const std::lock_guard lock(mutex_);
  gate_ = gate;
  changed_.notify_all();
}

void BlockThreads::join_all() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool BlockThreads::wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (all_left_ != 0) {
    if (deadline.passed()) return false;
    changed_.wait_for(lock, kDeadlineCheck);
  }
  return true;
}

bool BlockThreads::running() const noexcept {
  const std::lock_guard lock(mutex_);
  return all_left_ != 0;
}

std::vector<unsigned> BlockThreads::unfinished() const {
  const std::lock_guard lock(mutex_);
  std::vector<unsigned> blocks;
  for (unsigned block = 0; block < left_.size(); ++block) {
    if (left_[block] != 0) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace ringside
