// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/send_gather.hpp"

#include <algorithm>

#include "lib/softcx/data/frame_limits.hpp"

namespace softcx {
namespace {

/// How far ahead WQEs are fetched into the cache.
constexpr std::uint32_t kPrefetchBlocks = 16;
/// A batch ends here although it has few copies: WQEs without any are not to wait for ever longer.
constexpr std::uint32_t kMostBlocks = 1024;
/// As far as a turn executes: what needs no batch would only be looked at again in the next turn.
constexpr std::uint32_t kMostBlocksUnfetched = 256;

std::uint64_t address_of(const std::uint8_t* on_gpu) {
  return reinterpret_cast<std::uintptr_t>(on_gpu);
}

}  // namespace

void SendGather::judge(std::uint32_t first, std::uint64_t frame_length) noexcept {
  for (std::uint32_t i = first; i < reads_.count; ++i) {
    reads_.all[i].wanted = frame_length <= kLongestFrame;
  }
}

void SendGather::list(const Sq& sq, KeyReader& keys, std::uint16_t index,
                      const WqeControl& control) noexcept {
  reads_.count = 0;
  reads_.engine = nullptr;
  const auto opcode = static_cast<ringside::WqeOpcode>(control.opcode);
  if (opcode == ringside::WqeOpcode::kNop || opcode == ringside::WqeOpcode::kWait) return;
  const bool many = opcode == ringside::WqeOpcode::kEnhancedMpw;
  SegmentReader reader(keys, sq, contiguous(sq, index, control.blocks(), wrapped_),
                       control.segments, nullptr);
  scratch_.clear();
  FrameEdits edits;
  if (reader.ethernet(edits, scratch_)) return;
  std::uint32_t first = 0;
  std::uint64_t length = 0;  // without the inline header, which is short
  while (!reader.at_end() && !reader.data(scratch_)) {
    const Place& place = reader.place();
    length += reader.length();
    if (place.on_gpu()) {
      if (reads_.engine != nullptr && reads_.engine != place.copy_engine) break;
      reads_.engine = place.copy_engine;
      reads_.all[reads_.count++] = {place.bytes, reader.length(), true};
    }
    if (!many) continue;
    judge(first, length);
    first = reads_.count;
    length = 0;
  }
  if (!many) judge(first, length);
}

bool SendGather::find_batch(Result& result) noexcept {
  CopyLane* const lane = dma_.find(reads_.engine);
  if (lane == nullptr || lane->channel.failed()) return false;
  if (result.batch != nullptr) return result.batch->lane == lane;
  result.batch = lane->take_send_batch();
  result.starved = result.batch == nullptr;
  return !result.starved;
}

bool SendGather::fits(const SendBatch& batch) const noexcept {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < reads_.count; ++i) {
    const Reads::Read& read = reads_.all[i];
    if (read.wanted) bytes += CopyBatch::slot_bytes(address_of(read.address), read.length);
  }
  return reads_.count <= batch.reads.size() - batch.read_count && bytes <= batch.size - batch.used;
}

void SendGather::stage(SendBatch& batch) noexcept {
  for (std::uint32_t i = 0; i < reads_.count; ++i) {
    const auto [on_gpu, length, wanted] = reads_.all[i];
    if (wanted) {
      stage(batch, on_gpu, length);
    } else {
      batch.reads[batch.read_count++] = {on_gpu, nullptr, length};
    }
  }
}

void SendGather::stage(SendBatch& batch, const std::uint8_t* on_gpu,
                       std::uint32_t length) noexcept {
  CopyChannel& channel = batch.lane->channel;
  const std::uint32_t at = batch.take_slot(address_of(on_gpu), length);
  channel.add({address_of(on_gpu), at, length});
  if (++batch.copies % kCopiesToKick == 0) channel.kick();
  batch.reads[batch.read_count++] = {on_gpu, channel.staging() + at, length};
}

std::uint32_t SendGather::add_plain_sends(const Sq& sq, KeyReader& keys, std::uint64_t begin,
                                          std::uint32_t most, SendBatch& batch) noexcept {
  if (sq.min_inline_mode != 0) return 0;
  std::uint32_t added = 0;
  for (; added < most && batch.read_count < batch.reads.size(); ++added) {
    const auto index = static_cast<std::uint16_t>(begin + added);
    // Not beyond what is posted: a line that the driver is about to write would be taken from it.
    if (added + kPrefetchBlocks < most) {
      __builtin_prefetch(wqe_block(sq, index + kPrefetchBlocks));
    }
    PlainSend send;
    if (!send.read(wqe_block(sq, index), sq.sqn, index)) break;
    const Place from = keys.translate(send.lkey, send.address, send.byte_count);
    if (from.copy_engine != &batch.lane->engine || send.byte_count > kLongestFrame) break;
    if (!batch.has_room(CopyBatch::slot_bytes(address_of(from.bytes), send.byte_count))) break;
    stage(batch, from.bytes, send.byte_count);
  }
  return added;
}

SendGather::Result SendGather::look(Sq& sq, std::uint64_t begin, std::uint64_t end) noexcept {
  Result result;
  KeyReader keys(device_, sq.pdn, false);
  end = std::min(end, begin + kMostBlocks);
  std::uint64_t at = begin;
  while (at < end) {
    const auto ahead = static_cast<std::uint32_t>(end - at);
    if (result.batch != nullptr) {
      const std::uint32_t plain = add_plain_sends(sq, keys, at, ahead, *result.batch);
      at += plain;
      if (plain != 0) continue;
    }
    const auto index = static_cast<std::uint16_t>(at);
    const WqeControl control(wqe_block(sq, index));
    if (check_control(control, sq, index, ahead)) break;
    list(sq, keys, index, control);
    if (reads_.count != 0) {
      if (!find_batch(result)) break;
      if (fits(*result.batch)) {
        stage(*result.batch);
      } else if (result.batch->read_count != 0) {
        break;
      }
      // What does not fit into an empty batch is not fetched: its execution fails.
    }
    at += control.blocks();
    if (result.batch == nullptr && at - begin >= kMostBlocksUnfetched) break;
  }
  result.end = at;
  if (result.batch != nullptr) {
    result.batch->ticket = result.batch->lane->channel.kick();
    result.batch->sq = &sq;
    result.batch->end = at;
  }
  return result;
}

}  // namespace softcx
