// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/engine.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <system_error>
#include <thread>

#include "lib/base/error.hpp"
#include "lib/softcx/data/engine_loop.hpp"
#include "lib/softcx/nic/startup_affinity.hpp"

namespace softcx {
namespace {

class ThreadedEngine final : public Engine {
 public:
  explicit ThreadedEngine(std::vector<EnginePort> ports) {
    std::vector<Receiver*> receivers;
    for (EnginePort& port : ports) {
      ports_.push_back(std::make_unique<Port>(*port.device, std::move(port.wire), clock_));
      receivers.push_back(ports_.back().get());
      mtu_.refresh(*port.device);
    }
    for (const auto& port : ports_) port->wire().attach(receivers);
    loop_.emplace(ports_, clock_, quiescence_, mtu_);
    start_thread();
    for (const auto& port : ports_) port->device().engine = this;
  }

  ~ThreadedEngine() override {
    stop();
    for (const auto& port : ports_) port->device().engine = nullptr;
  }

  void synchronize() override {
    refresh_mtus();
    quiescence_.synchronize();
  }

  void wake() override {
    refresh_mtus();
    quiescence_.wake();
  }

  void stop() override {
    if (!thread_.joinable()) return;
    stop_.store(true, std::memory_order_release);
    quiescence_.wake();
    thread_.join();
  }

  std::vector<PortReport> reports() const override {
    std::vector<PortReport> reports;
    for (const auto& port : ports_) reports.push_back({&port->device(), port->wire().report()});
    return reports;
  }

 private:
  /// In the caller's thread: an MTU that was set before this call holds for the next frame.
  void refresh_mtus() {
    for (const auto& port : ports_) mtu_.refresh(port->device());
  }

  void start_thread() {
    // The application's signals go to the application's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "softcx-engine");
        const cpu_set_t& cpus = startup_affinity();
        pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
        loop_->run(stop_);
      });
    } catch (const std::system_error& error) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw ringside::Error(fmt::format("no thread for the software NIC: {}", error.what()),
                            "raise the limit of processes (ulimit -u)");
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  NicClock clock_;  ///< written by the engine thread only
  MtuReader mtu_;
  Quiescence quiescence_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::optional<EngineLoop> loop_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Engine> start_engine(std::vector<EnginePort> ports) {
  return std::make_unique<ThreadedEngine>(std::move(ports));
}

}  // namespace softcx
