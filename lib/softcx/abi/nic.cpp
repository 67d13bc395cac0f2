// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/abi/nic.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/softcx/data/report.hpp"
#include "lib/softcx/nic/device_memory.hpp"
#include "lib/softcx/nic/log.hpp"
#include "lib/softcx/nic/nic_clock.hpp"
#include "lib/softcx/nic/startup_affinity.hpp"
#include "lib/softcx/wire/make_wires.hpp"
#include "lib/softcx/wire/port_groups.hpp"

namespace softcx {
namespace {

/// Never destroyed by C++: the destructors of static objects run before the library's own.
Nic* g_nic = nullptr;

__attribute__((destructor)) void shut_down_at_unload() {
  if (g_nic != nullptr) g_nic->shut_down();
}

}  // namespace

Nic* Nic::get() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      g_nic = new Nic(load_config());
    } catch (const ringside::Error& error) {
      print_line(fmt::format("{}; no devices", error.what()));
    }
  });
  if (g_nic != nullptr && g_nic->owner_ != ::getpid()) {
    print_once("a child of fork() has no software NIC: open devices after fork(); no devices");
    return nullptr;
  }
  return g_nic;
}

Nic::Nic(Config config) : config_(std::move(config)), owner_(::getpid()) {
  g_sanitizing.store(config_.sanitize, std::memory_order_relaxed);
  const Clocks clocks{config_.clock_khz, config_.real_time, utc_offset_ns()};
  for (const PortConfig& port : config_.ports) {
    devices_.push_back(
        std::make_unique<Device>(port.index, port.bdf, port.ibdev, port.uverbs, port.netdev));
    devices_.back()->faults = config_.faults;
    if (config_.sanitize) devices_.back()->posted = &posted_;
    devices_.back()->line_bits_per_s = config_.line_bits_per_s;
    devices_.back()->clocks = clocks;
    steerings_.push_back(std::make_unique<Steering>(*devices_.back()));
    devices_.back()->classifier = steerings_.back().get();
  }
}

void Nic::start() {
  if (engines_ != nullptr) return;
  // A sanitized NIC gives no order that PCIe does not give. Rings cannot lie in memory that only
  // copy engines reach: to have packets there, programs need a NIC that waits for the copies.
  const bool waits_for_data = !config_.sanitize || cuda_is_loaded();
  for (const auto& device : devices_) device->completion_follows_data = waits_for_data;
  std::vector<std::unique_ptr<Wire>> wires = make_wires(config_);
  const std::vector<std::size_t> groups = port_groups(config_);
  const std::size_t group_count = *std::max_element(groups.begin(), groups.end()) + 1;
  const auto cpus = static_cast<std::size_t>(CPU_COUNT(&startup_affinity()));
  const std::size_t count =
      config_.engines != 0 ? config_.engines : default_engines(group_count, cpus);
  std::vector<EnginePort> ports;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    ports.push_back({devices_[i].get(), std::move(wires[i]), groups[i]});
  }
  engines_ = start_engines(std::move(ports), count);
  if (config_.report_fd >= 0) write_opened(config_.report_fd);
}

std::shared_ptr<OpenFile> Nic::open(Device& device, int& descriptor) {
  const std::lock_guard lock(mutex_);
  start();
  const std::string name = "softcx-" + device.uverbs;
  ringside::UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) {
    throw ringside::Error("cannot open " + device.ibdev + ", " + ringside::errno_text(errno),
                          "raise the limit of open files (ulimit -n)");
  }
  std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  auto file = std::make_shared<OpenFile>(device);
  files_[{info.st_dev, info.st_ino}] = file;
  descriptor = fd.release();
  return file;
}

std::shared_ptr<OpenFile> Nic::find_file(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = files_.find({info.st_dev, info.st_ino});
  return found == files_.end() ? nullptr : found->second.lock();
}

void Nic::shut_down() {
  if (owner_ != ::getpid() || engines_ == nullptr) return;
  engines_->stop();
  if (config_.report_fd >= 0) write_report(config_.report_fd, engines_->reports());
}

}  // namespace softcx
