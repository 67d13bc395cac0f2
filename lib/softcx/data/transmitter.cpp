// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/transmitter.hpp"

#include <algorithm>
#include <cstring>

#include "lib/softcx/data/frame_limits.hpp"

namespace softcx {
namespace {

using ringside::Be16;
using ringside::Be32;
using ringside::Cqe;
using ringside::CqeOpcode;
using ringside::CqeSyndrome;
using ringside::kWqeBasicBlock;
using ringside::WqeOpcode;

constexpr std::uint8_t kCeOnFirstError = 0x04;

std::uint16_t index_of(const Sq& sq) {
  return static_cast<std::uint16_t>(sq.consumer);
}

std::uint32_t posted(const Sq& sq) {
  return static_cast<std::uint16_t>(sq.producer - index_of(sq));
}

std::uint8_t* block(const Sq& sq, std::uint32_t index) {
  return sq.ring + std::size_t{index & ((1U << sq.log_depth) - 1)} * kWqeBasicBlock;
}

}  // namespace

std::uint32_t Transmitter::run(Sq& sq, std::uint32_t budget) noexcept {
  std::uint32_t work = 0;
  // Acquire: pairs with the control path's release; what it set before the state is seen.
  while (work < budget && sq.state.load(std::memory_order_acquire) == QueueState::kReady) {
    const std::uint32_t available = posted(sq);
    if (available == 0) return work;
    const std::uint16_t index = index_of(sq);
    const WqeControl control(block(sq, index));
    __builtin_prefetch(block(sq, index + control.blocks() + 1U));
    Fault fault = check_control(control, sq, index, available);
    std::uint32_t frames = 0;
    if (!fault) fault = execute(sq, contiguous(sq, index, control.blocks()), control, frames);
    work += std::max(frames, 1U);
    sq.consumer += std::min(control.blocks(), available);
    if (fault) {
      count(device_.counters.tx_failed_wqes);
      fail(sq, index, control.opcode, fault);
    } else if (!finish(sq, control)) {
      stop(sq);
    }
  }
  if (sq.state.load(std::memory_order_acquire) == QueueState::kError) work += flush(sq);
  return work;
}

bool Transmitter::stop(Sq& sq) noexcept {
  // Compare and exchange: the control path may move the queue to reset at the same time, and wins.
  QueueState ready = QueueState::kReady;
  if (!sq.state.compare_exchange_strong(ready, QueueState::kError, std::memory_order_acq_rel)) {
    return false;
  }
  count(device_.counters.tx_queue_errors);
  return true;
}

void Transmitter::fail(Sq& sq, std::uint16_t index, std::uint8_t opcode, Fault fault) noexcept {
  if (!stop(sq)) return;
  complete_error(device_, *sq.cq, CqeOpcode::kRequesterError, fault, sq.user_index, sq.sqn, opcode,
                 index);
}

const std::uint8_t* Transmitter::contiguous(const Sq& sq, std::uint16_t index,
                                            std::uint32_t blocks) noexcept {
  const std::uint32_t depth = 1U << sq.log_depth;
  const std::uint32_t until_end = depth - (index & (depth - 1));
  if (blocks <= until_end) return block(sq, index);
  const std::size_t head = std::size_t{until_end} * kWqeBasicBlock;
  std::memcpy(wrapped_.data(), block(sq, index), head);
  std::memcpy(wrapped_.data() + head, sq.ring, std::size_t{blocks} * kWqeBasicBlock - head);
  return wrapped_.data();
}

Fault Transmitter::execute(const Sq& sq, const std::uint8_t* wqe, const WqeControl& control,
                           std::uint32_t& frames) noexcept {
  if (static_cast<WqeOpcode>(control.opcode) == WqeOpcode::kNop) return {};
  const bool many = static_cast<WqeOpcode>(control.opcode) == WqeOpcode::kEnhancedMpw;
  SegmentReader reader(device_, sq, wqe, control.segments);
  FrameEdits edits;
  frame_.clear();
  if (const Fault fault = reader.ethernet(edits, frame_)) return fault;
  // A session has one Ethernet segment for all its packets, so it cannot hold a packet's header.
  if (many && (frame_.frame().length != 0 || sq.min_inline_mode != 0)) {
    return {CqeSyndrome::kLocalQpOperation, Cause::kInlineHeader};
  }
  while (!reader.at_end()) {
    if (const Fault fault = reader.data(frame_)) return fault;
    if (!many) continue;
    send(frame_.frame(), edits);
    ++frames;
    frame_.clear();
  }
  if (!many) {
    send(frame_.frame(), edits);
    ++frames;
  }
  return {};
}

void Transmitter::send(const Frame& original, const FrameEdits& edits) noexcept {
  PortCounters& counters = device_.counters;
  const Frame frame = edits.any() ? editor_.edit(original, edits) : original;
  if (frame.length < kEthernetHeader) {
    count(counters.tx_runt);
  } else if (is_oversize(frame, device_.mtu.load(std::memory_order_relaxed))) {
    count(counters.tx_oversize);
  } else if (wire_.transmit(frame)) {
    count(counters.tx_packets);
    count(counters.tx_bytes, frame.length);
  } else {
    count(counters.tx_wire_full);
  }
}

bool Transmitter::finish(Sq& sq, const WqeControl& control) noexcept {
  if (control.completion < ringside::kCeAlways) return true;
  Cqe cqe{};
  set_user_index(cqe, sq.user_index);
  cqe.timestamp = ringside::Be64::of(clock_.now_ns());
  cqe.sop_qpn = Be32::of(std::uint32_t{control.opcode} << 24 | sq.sqn);
  cqe.wqe_counter = Be16::of(control.index);
  return complete(device_, *sq.cq, cqe, CqeOpcode::kRequester);
}

std::uint32_t Transmitter::flush(Sq& sq) noexcept {
  if (!sq.flush_in_error) return 0;
  std::uint32_t work = 0;
  for (std::uint32_t available = posted(sq); available != 0; available = posted(sq)) {
    const std::uint16_t index = index_of(sq);
    const WqeControl control(block(sq, index));
    sq.consumer += std::min(control.blocks(), available);
    ++work;
    count(device_.counters.tx_flushed_wqes);
    if (control.completion == kCeOnFirstError) continue;  // the first error has been told
    complete_error(device_, *sq.cq, CqeOpcode::kRequesterError,
                   {CqeSyndrome::kWorkRequestFlushed, Cause::kFlushed}, sq.user_index, sq.sqn,
                   control.opcode, index);
  }
  return work;
}

}  // namespace softcx
