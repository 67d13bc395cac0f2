// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the CPU puts packets that stages hand to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

struct SampledPacket {
  const std::uint8_t* data;
  std::uint32_t captured;
  std::uint32_t length;
  std::uint64_t unix_ns;
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  /// false: it could not be written, and is lost.
  virtual bool write(const SampledPacket& packet) = 0;
  virtual void flush() {}
};

/// Opens the file, or makes the TAP device and brings it up. nullptr for sinks that need no CPU.
/// Throws Error.
std::unique_ptr<SampleSink> open_sink(const Sink& sink);

}  // namespace ringside::pipeline
