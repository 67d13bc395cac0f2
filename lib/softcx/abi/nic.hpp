// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The software NIC of this process: its ports, their wires and steering, and the engines.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lib/softcx/abi/open_file.hpp"
#include "lib/softcx/data/engine.hpp"
#include "lib/softcx/nic/config.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"
#include "lib/softcx/steering/steering.hpp"

namespace softcx {

class Nic {
 public:
  /// The NIC, made at the first call. nullptr where the process has none: not started by `softcx
  /// run` (said once on stderr), or a child that fork() made of one that has it, since the engine
  /// threads stayed with the parent.
  static Nic* get();

  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  /// The folder of the device tree that the launcher made.
  const std::string& root() const { return config_.root; }
  /// Opens a device; the first one starts the engines. Returns the file and sets `descriptor` to
  /// one that identifies it, also when duplicated. Throws ringside::Error.
  std::shared_ptr<OpenFile> open(Device& device, int& descriptor);
  /// The open file that `descriptor` identifies, nullptr: none of ours.
  std::shared_ptr<OpenFile> find_file(int descriptor);
  /// Stops the engines and writes the report. Called when the library is unloaded.
  void shut_down();

 private:
  explicit Nic(Config config);
  void start();

  const Config config_;
  const pid_t owner_;
  PostedBuffers posted_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Steering>> steerings_;
  std::mutex mutex_;
  std::unique_ptr<Engines> engines_;
  /// By device and inode of their descriptor.
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<OpenFile>> files_;
};

}  // namespace softcx
