// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the CPU puts packets that stages hand to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  /// After the last write. What has failed, or empty: all that was written is where it belongs.
  virtual std::string finish() { return {}; }
  /// A frame for the other way, cut to what `into` takes; 0: none is there.
  virtual std::size_t read(std::span<std::uint8_t> into) {
    static_cast<void>(into);
    return 0;
  }
};

/// The port that a TAP device stands for.
struct TapPort {
  MacAddress mac;
  std::uint16_t mtu;
};

/// Opens the file, or makes the TAP device and brings it up. nullptr for sinks that need no CPU.
/// `port`: of a sink of the CPU that has an interface. Throws Error.
std::unique_ptr<SampleSink> open_sink(const Sink& sink, const std::optional<TapPort>& port);

}  // namespace ringside::pipeline
