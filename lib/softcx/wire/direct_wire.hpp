// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A cable from a port to a port of the same process: a frame is in the other port's receive side
// before transmit() returns, so nothing is queued or copied twice.
#pragma once

#include <cstddef>

#include "lib/softcx/wire/wire.hpp"

namespace softcx {

inline Traffic total(std::span<const Frame> frames) noexcept {
  Traffic sum{frames.size(), 0};
  for (const Frame& frame : frames) sum.bytes += frame.length;
  return sum;
}

class DirectWire final : public Wire {
 public:
  /// `destination`: the port that receives; the sending port itself for a loop.
  explicit DirectWire(std::size_t destination) : destination_(destination) {}

  void attach(std::span<Receiver* const> ports) override { receiver_ = ports[destination_]; }
  bool transmit(const Frame& frame) override {
    receiver_->receive_batch({&frame, 1});
    return true;
  }
  Traffic transmit_batch(std::span<const Frame> frames) override {
    receiver_->receive_batch(frames);
    return total(frames);
  }

 private:
  std::size_t destination_;
  Receiver* receiver_ = nullptr;
};

/// Swallows what is sent; nothing ever arrives.
class NullWire final : public Wire {
 public:
  bool transmit(const Frame& /*frame*/) override { return true; }
  Traffic transmit_batch(std::span<const Frame> frames) override { return total(frames); }
  bool reads_frames() const override { return false; }
};

}  // namespace softcx
