// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/watch_posts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/mlx5/format/striding.hpp"
#include "lib/softcx/data/send_wqe.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"

namespace softcx {
namespace {

using ringside::ControlSegment;
using ringside::DataSegment;

std::uint16_t distance(std::uint16_t from, std::uint16_t to) {
  return static_cast<std::uint16_t>(to - from);
}

/// The part of a data segment that its key covers: what lies beyond fails when it is reached.
void add_buffer(const Device& device, const DataSegment& segment,
                std::vector<PostedBuffer>& buffers) {
  const std::uint32_t lkey = segment.lkey.value();
  const Mkey* const key = device.find_mkey(lkey);
  if (key == nullptr) return;
  const std::uint64_t address = segment.address.value();
  const std::uint64_t offset = address - key->iova;
  if (offset >= key->memory.length) return;
  const std::uint64_t length = std::min<std::uint64_t>(
      segment.byte_count.value() & ~ringside::kInlineData, key->memory.length - offset);
  if (length != 0) buffers.push_back({application_address(*key, address), length, lkey});
}

DataSegment read_segment(const std::uint8_t* at) {
  DataSegment segment;
  std::memcpy(&segment, at, sizeof(segment));
  return segment;
}

/// The data segments of a SEND or of a multi-packet WQE.
void add_send_buffers(const Sq& sq, const std::uint8_t* wqe, const WqeControl& control,
                      std::vector<PostedBuffer>& buffers) {
  const auto opcode = static_cast<ringside::WqeOpcode>(control.opcode);
  if (opcode == ringside::WqeOpcode::kNop || opcode == ringside::WqeOpcode::kWait) return;
  FrameBatch scratch;
  FrameEdits edits;
  KeyReader keys(*sq.device, sq.pdn, false);
  SegmentReader reader(keys, sq, wqe, control.segments, nullptr);
  if (reader.ethernet(edits, scratch)) return;
  while (!reader.at_end()) {
    const DataSegment segment = read_segment(reader.next());
    if (reader.data(scratch)) return;
    scratch.clear();
    if ((segment.byte_count.value() & ringside::kInlineData) == 0) {
      add_buffer(*sq.device, segment, buffers);
    }
  }
}

void check_reserved(const Sq& sq, const std::uint8_t* wqe, std::uint16_t index) {
  ControlSegment control;
  std::memcpy(&control, wqe, sizeof(control));
  const bool ds_bits = (control.qpn_ds.value() & 0xff) > ringside::kMaxSegmentsPerWqe;
  if (!ds_bits && control.signature == 0 && control.dci_stream_channel_id.raw == 0 &&
      control.immediate.raw == 0) {
    return;
  }
  // A copy: the segment is packed, and this lies at an odd offset.
  const ringside::Be16 channel{control.dci_stream_channel_id.raw};
  report_broken(RuleId::kSendReserved, object_name(*sq.device, "send queue", sq.sqn),
                fmt::format("WQE {}: qpn_ds {:#x}, signature {:#x}, stream channel {:#x}, "
                            "immediate {:#x}",
                            index, control.qpn_ds.value(), control.signature, channel.value(),
                            control.immediate.value()));
}

void watch(const Rq& rq, std::uint16_t index) {
  const std::uint8_t* const wqe =
      rq.ring + (std::size_t{index & ((1U << rq.log_depth) - 1)} << rq.log_stride);
  std::vector<PostedBuffer> buffers;
  const std::size_t first = rq.strides.shared() ? offsetof(ringside::StridingWqe, data) : 0;
  std::size_t end = first;
  while (end < std::size_t{1} << rq.log_stride) {
    const DataSegment segment = read_segment(wqe + end);
    end += sizeof(DataSegment);
    if (segment.lkey.value() == ringside::kInvalidLkey) break;
    if ((segment.byte_count.value() & ringside::kInlineData) != 0) {
      report_broken(RuleId::kReceiveByteCount, object_name(*rq.device, "receive queue", rq.rqn),
                    fmt::format("WQE {}: byte count {:#x}", index, segment.byte_count.value()));
    }
    add_buffer(*rq.device, segment, buffers);
  }
  rq.device->posted->post(
      WatchedQueue::of(rq),
      {index, 1, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)},
      buffers);
}

}  // namespace

void watch_taken(const Rq& rq) {
  PostedBuffers& posted = *rq.device->posted;
  posted.complete(WatchedQueue::of(rq), rq.consumer);
  if (rq.strides.used != 0) {
    posted.take(&rq, std::uint64_t{rq.strides.used} << rq.strides.log_bytes);
  }
}

void watch_posts(const Sq& sq) {
  PostedBuffers& posted = *sq.device->posted;
  std::uint16_t index = posted.end(&sq, static_cast<std::uint16_t>(sq.consumer));
  WrappedWqe wrapped;
  while (index != sq.producer) {
    const WqeControl control(wqe_block(sq, index));
    if (check_control(control, sq, index, distance(index, sq.producer))) return;
    const std::uint8_t* const wqe = contiguous(sq, index, control.blocks(), wrapped);
    check_reserved(sq, wqe, index);
    std::vector<PostedBuffer> buffers;
    add_send_buffers(sq, wqe, control, buffers);
    posted.post(WatchedQueue::of(sq),
                {index, control.blocks(), 0,
                 static_cast<std::uint32_t>(control.segments * ringside::kWqeSegment)},
                buffers);
    index = static_cast<std::uint16_t>(index + control.blocks());
  }
}

void watch_posts(const Rq& rq) {
  if (rq.state.load(std::memory_order_acquire) != QueueState::kReady) return;
  PostedBuffers& posted = *rq.device->posted;
  // Acquire: the WQEs came before the index.
  const std::uint16_t record = load_index(rq.record->receive_counter);
  std::uint16_t index = posted.end(&rq, rq.consumer);
  const std::uint32_t count = distance(rq.consumer, record);
  if (record == index || count > 1U << rq.log_depth) return;  // the latter stops the queue
  if (count < distance(rq.consumer, index)) {
    report_broken(RuleId::kReceiveRecordBackwards, object_name(*rq.device, "receive queue", rq.rqn),
                  fmt::format("the doorbell record went from {} to {}, {} consumed", index, record,
                              rq.consumer));
    posted.forget(&rq);
    return;
  }
  for (; index != record; ++index) watch(rq, index);
}

}  // namespace softcx
