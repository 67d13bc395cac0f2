// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Executes the send queues of one port.
#pragma once

#include <array>
#include <cstdint>

#include "lib/softcx/data/frame_editor.hpp"
#include "lib/softcx/data/nic_clock.hpp"
#include "lib/softcx/data/send_wqe.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class Transmitter {
 public:
  Transmitter(Device& device, Wire& wire, const NicClock& clock)
      : device_(device), wire_(wire), clock_(clock) {}

  /// Executes WQEs from sq.consumer up to sq.producer, about `budget` frames of them; returns how
  /// many frames, and WQEs without a frame, there were. An error stops the queue: its WQEs are then
  /// flushed.
  std::uint32_t run(Sq& sq, std::uint32_t budget) noexcept;

  /// Puts the queue into the error state with an error CQE for the WQE at `index`.
  void fail(Sq& sq, std::uint16_t index, std::uint8_t opcode, Fault fault) noexcept;

 private:
  const std::uint8_t* contiguous(const Sq& sq, std::uint16_t index, std::uint32_t blocks) noexcept;
  /// Adds WQEs to the batch while they are plain sends, `most` and what there is room for at most,
  /// of the `posted` ones; returns how many.
  std::uint32_t add_plain_sends(Sq& sq, KeyReader& keys, std::uint32_t posted,
                                std::uint32_t most) noexcept;
  /// Executes the WQE at the consumer index, whatever it is; returns its work.
  std::uint32_t step(Sq& sq, KeyReader& keys, std::uint32_t available) noexcept;
  Fault execute(Sq& sq, KeyReader& keys, const std::uint8_t* wqe, const WqeControl& control,
                std::uint32_t& frames) noexcept;
  /// Sends the batch and writes the completions that it owes.
  void send_batch(Sq& sq) noexcept;
  /// Neither a runt nor above the MTU, without a look at their tags.
  bool all_of_ordinary_length(std::span<const Frame> frames) const noexcept;
  void send_one_by_one(std::span<const Frame> frames) noexcept;
  void send_edited(const Frame& frame, const FrameEdits& edits) noexcept;
  /// Drops a frame that no port may send, and counts it.
  bool refuse(const Frame& frame) noexcept;
  void put_on_wire(std::span<const Frame> frames) noexcept;
  /// Into the error state. False: it was not ready.
  bool stop(Sq& sq) noexcept;
  bool finish(Sq& sq, OwedCompletion owed) noexcept;
  std::uint32_t flush(Sq& sq) noexcept;

  static constexpr std::uint32_t kMaxBlocks = 16;  // of a WQE with kMaxSegmentsPerWqe

  Device& device_;
  Wire& wire_;
  const NicClock& clock_;
  FrameBatch batch_;  ///< of the queue that runs; empty between two runs
  FrameEditor editor_;
  alignas(
      64) std::array<std::uint8_t, std::size_t{kMaxBlocks} * ringside::kWqeBasicBlock> wrapped_{};
};

}  // namespace softcx
