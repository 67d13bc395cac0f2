// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The device's end of copies to and from memory that the CPU cannot map. The CPU's end, which
// fills the area, is data/copy_channel.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lib/softcx/gpu/copy_area.hpp"

namespace softcx {

/// Carries out what one engine thread orders. That thread alone calls it, after the constructor.
class CopyWorker {
 public:
  virtual ~CopyWorker() = default;
  virtual CopyArea& area() noexcept = 0;
  /// Starts an instance of the copy kernel; an earlier one is leaving or has left. Does not wait.
  /// False: failure() says why.
  virtual bool start(std::uint32_t first_chunk, std::uint32_t instance) noexcept = 0;
  /// Asks the driver, which may take long. False: the device is lost, failure() says why.
  virtual bool healthy() noexcept = 0;
  virtual std::string failure() const = 0;
};

/// A GPU (one CUDA context) whose memory the NIC reaches. Lives as long as the process.
class CopyEngine {
 public:
  virtual ~CopyEngine() = default;
  /// Control path. nullptr: `why` says what failed.
  virtual std::unique_ptr<CopyWorker> open_worker(std::string& why) = 0;
};

/// Control path: the engine for [address, address + length). nullptr with an empty `why`: this is
/// no device memory; otherwise it is, and `why` says what is wrong with it. Thread-safe.
using FindCopyEngine = CopyEngine*(std::uint64_t address, std::uint64_t length, std::string& why);

}  // namespace softcx
