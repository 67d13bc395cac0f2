// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/transmitter.hpp"

#include <algorithm>
#include <cstring>

#include "lib/softcx/data/broken_wqe.hpp"
#include "lib/softcx/data/frame_limits.hpp"
#include "lib/softcx/data/wait_wqe.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"

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
constexpr auto kSendOpcode = static_cast<std::uint8_t>(WqeOpcode::kSend);
/// How far ahead WQEs are fetched into the cache.
constexpr std::uint32_t kPrefetchBlocks = 16;

std::uint16_t index_of(const Sq& sq) {
  return static_cast<std::uint16_t>(sq.consumer);
}

std::uint32_t posted(const Sq& sq) {
  return static_cast<std::uint16_t>(sq.producer - index_of(sq));
}

/// Drivers ring for some tens of WQEs at a time: without this as many are waited for one by one as
/// are fetched ahead later. Not beyond what is posted: a line that the driver is about to write
/// would be taken from it.
[[gnu::always_inline]] inline void prefetch_first(const Sq& sq) noexcept {
  const std::uint32_t count = std::min(posted(sq), kPrefetchBlocks);
  for (std::uint32_t i = 0; i < count; ++i) __builtin_prefetch(wqe_block(sq, index_of(sq) + i));
}

}  // namespace

std::uint32_t Transmitter::run(Sq& sq, std::uint32_t budget) noexcept {
  if (late_writes_ != nullptr)
    late_writes_->land_all();  // reads push the writes before them, those of other ports too
  sq.resume_ns = 0;
  known_end_ = sq.consumer + sq.backlog;
  std::uint32_t work = dma_ != nullptr && dma_->any()
                           ? run_fetched(sq, budget)
                           : run_until(sq, sq.consumer + posted(sq), budget);
  if (sq.state.load(std::memory_order_acquire) == QueueState::kError) {
    sq.resume_ns = 0;
    work += flush(sq);
  }
  sq.backlog = posted(sq);
  return work;
}

std::uint32_t Transmitter::run_until(Sq& sq, std::uint64_t end, std::uint32_t budget) noexcept {
  std::uint32_t work = 0;
  KeyReader keys(device_, sq.pdn, false);
  prefetch_first(sq);
  // Acquire: pairs with the control path's release; what it set before the state is seen.
  while (work < budget && sq.consumer < end &&
         sq.state.load(std::memory_order_acquire) == QueueState::kReady) {
    if (sq.consumer >= known_end_ && sq.time_ns < clock_.now_ns()) {
      send_batch(sq);
      sq.time_ns = clock_.now_ns();
    }
    if (line_.full_until_ns() > clock_.now_ns()) {
      sq.resume_ns = line_.full_until_ns();
      break;
    }
    const auto ahead = static_cast<std::uint32_t>(
        (sq.consumer < known_end_ ? std::min(known_end_, end) : end) - sq.consumer);
    const std::uint32_t plain = add_plain_sends(sq, keys, ahead, budget - work);
    work += plain != 0 ? plain : step(sq, keys, posted(sq));
    if (sq.resume_ns != 0) break;
    if (batch_.full() || (batch_.owes() && has_times(sq))) send_batch(sq);
  }
  send_batch(sq);
  return work;
}

std::uint32_t Transmitter::run_fetched(Sq& sq, std::uint32_t budget) noexcept {
  std::uint32_t work = 0;
  while (sq.oldest_batch != nullptr && work < budget) {
    SendBatch& batch = *sq.oldest_batch;
    CopyChannel& channel = batch.lane->channel;
    if (sq.state.load(std::memory_order_acquire) != QueueState::kReady || channel.failed()) {
      dma_->drop(sq);
    } else if (channel.done(batch.ticket)) {
      staged_.use(&batch);
      work += run_until(sq, batch.end, budget - work);
      staged_.use(nullptr);
      if (sq.consumer >= batch.end) dma_->sent(batch);
      if (sq.resume_ns != 0) return std::max(work, 1U);
    } else {
      break;
    }
  }
  work += fetch(sq, budget);
  return sq.oldest_batch != nullptr ? std::max(work, 1U) : work;
}

std::uint32_t Transmitter::fetch(Sq& sq, std::uint32_t budget) noexcept {
  const std::uint64_t end = sq.consumer + posted(sq);
  std::uint64_t at = sq.newest_batch != nullptr ? sq.newest_batch->end : sq.consumer;
  for (std::uint32_t fetched = 0; at < end && fetched < budget;) {
    if (sq.state.load(std::memory_order_acquire) != QueueState::kReady) return 0;
    const SendGather::Result found = gather_->look(sq, at, end);
    if (found.batch != nullptr) {
      (sq.newest_batch != nullptr ? sq.newest_batch->next : sq.oldest_batch) = found.batch;
      sq.newest_batch = found.batch;
      at = found.end;
      fetched += std::max(found.batch->read_count, 1U);
      continue;
    }
    if (sq.oldest_batch != nullptr) return 0;
    if (found.starved) return 1;  // its turn comes again
    // Nothing to fetch, up to what cannot be: that is executed, in its turn, and fails.
    return run_until(sq, std::max(found.end, at + 1), budget);
  }
  return 0;
}

std::uint32_t Transmitter::add_plain_sends(Sq& sq, KeyReader& keys, std::uint32_t posted,
                                           std::uint32_t most) noexcept {
  if (sq.min_inline_mode != 0) return 0;
  const std::uint32_t mask = (1U << sq.log_depth) - 1;
  const std::uint8_t* const ring = sq.ring;
  const std::uint32_t sqn = sq.sqn;
  const std::uint16_t start = index_of(sq);
  const std::uint32_t room = std::min({posted, most, batch_.room()});
  std::uint32_t added = 0;
  for (; added < room; ++added) {
    const auto index = static_cast<std::uint16_t>(start + added);
    const std::uint8_t* const wqe = ring + std::size_t{index & mask} * kWqeBasicBlock;
    if (added + kPrefetchBlocks < posted) {
      __builtin_prefetch(ring + std::size_t{(index + kPrefetchBlocks) & mask} * kWqeBasicBlock);
    }
    PlainSend send;
    if (!send.read(wqe, sqn, index)) break;
    const Place place = keys.translate(send.lkey, send.address, send.byte_count);
    const std::uint8_t* bytes = place.bytes;
    if (place.on_gpu()) [[unlikely]] {
      if (!staged_.take(place, send.byte_count, bytes)) break;
    } else if (bytes == nullptr) {
      break;
    }
    // Whoever takes the batch begins with its first frames: too late to fetch them then.
    if (wire_reads_) __builtin_prefetch(bytes);
    batch_.put_frame(added, bytes, send.byte_count);
    if (send.completion < ringside::kCeAlways) continue;
    batch_.owe({index, kSendOpcode});
    if (has_times(sq)) {  // a completion has the time of its own packet
      ++added;
      break;
    }
  }
  batch_.grow(added);
  sq.consumer += added;
  return added;
}

std::uint32_t Transmitter::step(Sq& sq, KeyReader& keys, std::uint32_t available) noexcept {
  const std::uint16_t index = index_of(sq);
  const WqeControl control(wqe_block(sq, index));
  Fault fault = check_control(control, sq, index, available);
  const std::uint8_t* wqe = nullptr;
  std::uint32_t frames = 0;
  if (!fault) {
    wqe = contiguous(sq, index, control.blocks(), wrapped_);
    fault = is_wait(control) ? wait(sq, wqe) : execute(sq, keys, wqe, control, frames);
    if (sq.resume_ns != 0) return 0;
  }
  sq.consumer += std::min(control.blocks(), available);
  if (fault) {
    report_wqe(sq, index, control, available, fault);
    batch_.drop_frame();
    send_batch(sq);
    count(device_.counters.tx_failed_wqes);
    fail(sq, index, control.opcode, fault);
  } else {
    if (control.completion >= ringside::kCeAlways) batch_.owe({index, control.opcode});
    if (wqe == wrapped_.data()) send_batch(sq);  // frames may lie in it
  }
  return std::max(frames, 1U);
}

Fault Transmitter::wait(Sq& sq, const std::uint8_t* wqe) noexcept {
  const WaitTime wait = read_wait(wqe, sq.stamps, clock_.now_ns());
  if (wait.fault) return wait.fault;
  send_batch(sq);  // what was before it leaves at its own time
  sq.timed = true;
  if (wait.until_ns > clock_.now_ns()) {
    sq.resume_ns = wait.until_ns;
  } else {
    sq.time_ns = std::max(sq.time_ns, wait.until_ns);
  }
  return {};
}

bool Transmitter::stop(Sq& sq) noexcept {
  // Compare and exchange: the control path may move the queue to reset at the same time, and wins.
  QueueState ready = QueueState::kReady;
  if (!sq.state.compare_exchange_strong(ready, QueueState::kError, std::memory_order_acq_rel)) {
    return false;
  }
  count(device_.counters.tx_queue_errors);
  if (device_.posted != nullptr) device_.posted->forget(&sq);
  return true;
}

void Transmitter::fail(Sq& sq, std::uint16_t index, std::uint8_t opcode, Fault fault) noexcept {
  if (!stop(sq)) return;
  complete_error(device_, *sq.cq, CqeOpcode::kRequesterError, fault, sq.user_index, sq.sqn, opcode,
                 index);
}

void Transmitter::fail_next(Sq& sq, Fault fault) noexcept {
  const std::uint16_t index = index_of(sq);
  const WqeControl control(wqe_block(sq, index));
  sq.consumer += std::min(control.blocks(), posted(sq));
  count(device_.counters.tx_failed_wqes);
  fail(sq, index, control.opcode, fault);
}

Fault Transmitter::execute(Sq& sq, KeyReader& keys, const std::uint8_t* wqe,
                           const WqeControl& control, std::uint32_t& frames) noexcept {
  if (static_cast<WqeOpcode>(control.opcode) == WqeOpcode::kNop) return {};
  const bool many = static_cast<WqeOpcode>(control.opcode) == WqeOpcode::kEnhancedMpw;
  SegmentReader reader(keys, sq, wqe, control.segments, &staged_);
  FrameEdits edits;
  if (const Fault fault = reader.ethernet(edits, batch_)) return fault;
  // A session has one Ethernet segment for all its packets, so it cannot hold a packet's header.
  if (many && (batch_.frame_has_ranges() || sq.min_inline_mode != 0)) {
    return {CqeSyndrome::kLocalQpOperation, Cause::kInlineHeader};
  }
  while (!reader.at_end()) {
    if (const Fault fault = reader.data(batch_)) return fault;
    if (!many) continue;
    batch_.close_frame(edits);
    ++frames;
    if (batch_.full()) send_batch(sq);
  }
  if (!many) {
    batch_.close_frame(edits);
    ++frames;
  }
  return {};
}

void Transmitter::send_batch(Sq& sq) noexcept {
  if (batch_.empty()) return;
  if (device_.posted != nullptr) device_.posted->complete(WatchedQueue::of(sq), index_of(sq));
  if (has_times(sq)) last_left_ns_ = batch_.stamp(line_, sq.time_ns);
  const std::span<const Frame> frames = batch_.frames();
  if (!batch_.any_edits() && all_of_ordinary_length(frames)) [[likely]] {
    put_on_wire(frames);
  } else {
    send_one_by_one(frames);
  }
  for (const OwedCompletion owed : batch_.owed()) {
    if (!finish(sq, owed)) stop(sq);
  }
  batch_.clear();
}

bool Transmitter::all_of_ordinary_length(std::span<const Frame> frames) const noexcept {
  const std::uint32_t mtu = device_.mtu.load(std::memory_order_relaxed);
  bool ordinary = true;
  for (const Frame& frame : frames) ordinary &= frame.length - kEthernetHeader <= mtu;
  return ordinary;
}

void Transmitter::send_one_by_one(std::span<const Frame> frames) noexcept {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (const FrameEdits* const edits = batch_.edits(i); edits != nullptr) {
      send_edited(frames[i], *edits);
    } else if (!refuse(frames[i])) {
      put_on_wire(frames.subspan(i, 1));
    }
  }
}

void Transmitter::send_edited(const Frame& frame, const FrameEdits& edits) noexcept {
  const Frame edited = editor_.edit(frame, edits);
  if (!refuse(edited)) put_on_wire({&edited, 1});
}

bool Transmitter::refuse(const Frame& frame) noexcept {
  if (frame.length < kEthernetHeader) [[unlikely]] {
    count(device_.counters.tx_runt);
    return true;
  }
  if (is_oversize(frame, device_.mtu.load(std::memory_order_relaxed))) [[unlikely]] {
    count(device_.counters.tx_oversize);
    return true;
  }
  return false;
}

void Transmitter::put_on_wire(std::span<const Frame> frames) noexcept {
  if (frames.empty()) return;
  const Traffic taken = wire_.transmit_batch(frames);
  count(device_.counters.tx_packets, taken.packets);
  count(device_.counters.tx_bytes, taken.bytes);
  if (taken.packets != frames.size()) {
    count(device_.counters.tx_wire_full, frames.size() - taken.packets);
  }
}

bool Transmitter::finish(Sq& sq, OwedCompletion owed) noexcept {
  Cqe cqe{};
  set_user_index(cqe, sq.user_index);
  cqe.timestamp =
      ringside::Be64::of(sq.stamps.stamp(has_times(sq) ? last_left_ns_ : clock_.now_ns()));
  cqe.sop_qpn = Be32::of(std::uint32_t{owed.opcode} << 24 | sq.sqn);
  cqe.wqe_counter = Be16::of(owed.index);
  return complete(device_, *sq.cq, cqe, CqeOpcode::kRequester);
}

std::uint32_t Transmitter::flush(Sq& sq) noexcept {
  if (!sq.flush_in_error) return 0;
  std::uint32_t work = 0;
  for (std::uint32_t available = posted(sq); available != 0; available = posted(sq)) {
    const std::uint16_t index = index_of(sq);
    const WqeControl control(wqe_block(sq, index));
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
