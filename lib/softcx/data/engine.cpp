// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/engine.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "lib/base/error.hpp"
#include "lib/softcx/data/engine_loop.hpp"
#include "lib/softcx/nic/startup_affinity.hpp"

namespace softcx {
namespace {

/// One thread and its ports.
class Engine final : public EngineControl {
 public:
  ~Engine() override {
    stop();
    for (const auto& port : ports_) port->device().engine = nullptr;
  }

  Port& add(Device& device, std::unique_ptr<Wire> wire, LateWrites* late_writes) {
    ports_.push_back(std::make_unique<Port>(device, std::move(wire), clock_, &dma_, late_writes));
    mtu_.refresh(device);
    return *ports_.back();
  }

  /// The ports' wires must be attached.
  void start() {
    loop_.emplace(ports_, clock_, quiescence_, mtu_, dma_);
    start_thread();
    for (const auto& port : ports_) port->device().engine = this;
  }

  void synchronize() override {
    refresh_mtus();
    quiescence_.synchronize();
  }

  void wake() override {
    refresh_mtus();
    quiescence_.wake();
  }

  bool attach(CopyEngine& copy_engine, std::string& why) override {
    if (!dma_.attach(copy_engine, why)) return false;
    quiescence_.synchronize();
    return true;
  }

  void stop() {
    if (!thread_.joinable()) return;
    stop_.store(true, std::memory_order_release);
    quiescence_.wake();
    thread_.join();
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
  DeviceDma dma_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::optional<EngineLoop> loop_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

bool any_completion_overtakes(const std::vector<EnginePort>& ports) {
  return std::any_of(ports.begin(), ports.end(),
                     [](const EnginePort& port) { return !port.device->completion_follows_data; });
}

class EngineSet final : public Engines {
 public:
  EngineSet(std::vector<EnginePort> ports, std::size_t count) : engines_(count) {
    std::vector<Receiver*> receivers;
    if (any_completion_overtakes(ports)) late_writes_ = std::make_unique<LateWrites>();
    for (EnginePort& port : ports) {
      Engine& engine = engines_[port.group % count];
      Port& added = engine.add(*port.device, std::move(port.wire), late_writes_.get());
      ports_.push_back(&added);
      receivers.push_back(added.wire().front(added));
    }
    for (Port* port : ports_) port->wire().attach(receivers);
    for (Engine& engine : engines_) engine.start();
  }

  void stop() override {
    for (Engine& engine : engines_) engine.stop();
  }

  std::vector<PortReport> reports() const override {
    std::vector<PortReport> reports;
    for (const Port* port : ports_) reports.push_back({&port->device(), port->wire().report()});
    return reports;
  }

 private:
  std::unique_ptr<LateWrites> late_writes_;  ///< of all ports; mostly none
  std::vector<Engine> engines_;
  std::vector<Port*> ports_;  ///< of the engines, in the order of the ports
};

}  // namespace

std::size_t default_engines(std::size_t groups, std::size_t cpus) noexcept {
  return std::max<std::size_t>(1, std::min(groups, cpus / 2));
}

std::unique_ptr<Engines> start_engines(std::vector<EnginePort> ports, std::size_t count) {
  return std::make_unique<EngineSet>(std::move(ports), count);
}

}  // namespace softcx
