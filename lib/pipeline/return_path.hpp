// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What programs of the host send by a sink's device leaves by a port.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lib/pipeline/sample_sink.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::pipeline {

class ReturnPath {
 public:
  /// `largest`: bytes of a frame that the port sends.
  ReturnPath(SampleSink& sink, Runtime& runtime, std::uint16_t port, std::uint32_t largest)
      : sink_(sink), runtime_(runtime), port_(port), frame_(largest + std::size_t{1}) {}

  /// Sends a few of the frames that are there; returns how many. A frame that the port has no room
  /// for waits, and those behind it in the device. One thread.
  std::size_t turn();

  std::uint64_t sent() const noexcept { return sent_.load(std::memory_order_relaxed); }
  /// Frames too large for the port.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  SampleSink& sink_;
  Runtime& runtime_;
  std::uint16_t port_;
  std::vector<std::uint8_t> frame_;  ///< one byte more than fits, by which larger ones are known
  std::size_t waiting_ = 0;          ///< bytes of a frame in frame_
  std::atomic<std::uint64_t> sent_{0}, lost_{0};
};

}  // namespace ringside::pipeline
