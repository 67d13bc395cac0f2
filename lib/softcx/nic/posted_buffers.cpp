// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/posted_buffers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace softcx {
namespace {

std::uint64_t content_of(const WatchedQueue& queue, const PostedWqe& wqe) {
  const std::size_t stride = std::size_t{1} << queue.log_stride;
  const std::size_t ring_bytes = stride << queue.log_depth;
  const std::size_t end = std::size_t{wqe.first} + wqe.bytes;
  std::uint64_t hash = 0;
  for (std::size_t at = wqe.first, part = 0; at != end; at += part) {
    part = std::min(end - at, stride - at % stride);  // entries wrap, their bytes do not
    const auto* const bytes = queue.ring + (stride * wqe.index + at) % ring_bytes;
    hash = hash * 31 + std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes), part});
  }
  return hash;
}

std::string name_of(const WatchedQueue& queue) {
  return object_name(*queue.device, queue.receives ? "receive queue" : "send queue", queue.number);
}

/// Is `index` before `end`? Rings have at most half of the indexes.
bool precedes(std::uint16_t index, std::uint16_t end) {
  const auto distance = static_cast<std::uint16_t>(end - index);
  return distance != 0 && distance <= 0x8000;
}

}  // namespace

WatchedQueue WatchedQueue::of(const Sq& sq) {
  constexpr std::uint32_t kLogBasicBlock = 6;
  return {&sq, sq.device, false, sq.sqn, sq.ring, sq.log_depth, kLogBasicBlock};
}

WatchedQueue WatchedQueue::of(const Rq& rq) {
  return {&rq, rq.device, true, rq.rqn, rq.ring, rq.log_depth, rq.log_stride};
}

std::uint64_t application_address(const Mkey& key, std::uint64_t address) {
  const Memory& memory = key.memory;
  const auto first =
      memory.origin != 0 ? memory.origin : reinterpret_cast<std::uintptr_t>(memory.base);
  return first + (address - key.iova);
}

void PostedBuffers::post(const WatchedQueue& queue, const PostedWqe& made,
                         std::span<const PostedBuffer> buffers) {
  const std::lock_guard lock(mutex_);
  Posted& posted = queues_.try_emplace(queue.id, Posted{queue, {}}).first->second;
  Wqe wqe{made, content_of(queue, made), {}};
  for (const PostedBuffer& buffer : buffers) {
    check_overlap(queue, made.index, buffer);
    wqe.buffers.push_back(buffers_of(queue).insert(
        {buffer.begin, buffer.begin + buffer.length, {queue.id, buffer.lkey, made.index}}));
  }
  posted.wqes.push_back(std::move(wqe));
}

void PostedBuffers::check_overlap(const WatchedQueue& queue, std::uint16_t index,
                                  const PostedBuffer& buffer) {
  const std::uint64_t end = buffer.begin + buffer.length;
  const Buffers::Entry* other = written_.find(buffer.begin, end);
  const bool both_written = other != nullptr && queue.receives;
  if (other == nullptr && queue.receives) other = read_.find(buffer.begin, end);
  if (other == nullptr) return;
  report_broken(both_written ? RuleId::kReceiveBufferOverlap : RuleId::kReceiveBufferSent,
                name_of(queue),
                fmt::format("buffer at {:#x} of {} bytes, WQE {}, overlaps WQE {} of {}, at {:#x} "
                            "of {} bytes",
                            buffer.begin, buffer.length, index, other->value.index,
                            name_of(queues_.at(other->value.queue).queue), other->begin,
                            other->end - other->begin));
}

void PostedBuffers::complete(const WatchedQueue& queue, std::uint16_t end) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue.id);
  if (found == queues_.end()) return;
  std::deque<Wqe>& wqes = found->second.wqes;
  for (; !wqes.empty() && precedes(wqes.front().posted.index, end); wqes.pop_front()) {
    const Wqe& wqe = wqes.front();
    if (content_of(queue, wqe.posted) != wqe.content) {
      report_broken(queue.receives ? RuleId::kReceiveWqeChanged : RuleId::kSendWqeChanged,
                    name_of(queue), fmt::format("WQE {}", wqe.posted.index));
    }
    drop(queue, wqe);
  }
}

void PostedBuffers::take(const void* queue, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.wqes.empty()) return;
  Wqe& wqe = found->second.wqes.front();
  std::uint64_t more = bytes - std::exchange(wqe.taken, bytes);
  Buffers& buffers = buffers_of(found->second.queue);
  std::erase_if(wqe.buffers, [&](Buffers::Key& key) {
    Buffers::Entry buffer = buffers.at(key);
    const std::uint64_t part = std::min(more, buffer.end - buffer.begin);
    if (part == 0) return false;
    more -= part;
    buffers.erase(key);
    buffer.begin += part;
    if (buffer.begin == buffer.end) return true;
    key = buffers.insert(buffer);
    return false;
  });
}

void PostedBuffers::drop(const WatchedQueue& queue, const Wqe& wqe) {
  for (const Buffers::Key& buffer : wqe.buffers) buffers_of(queue).erase(buffer);
}

void PostedBuffers::forget(const void* queue) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return;
  for (const Wqe& wqe : found->second.wqes) drop(found->second.queue, wqe);
  queues_.erase(found);
}

void PostedBuffers::key_goes(const Device& device, std::uint32_t lkey) {
  const std::lock_guard lock(mutex_);
  const auto names_it = [&](const Buffers::Entry& buffer) {
    return buffer.value.lkey == lkey && queues_.at(buffer.value.queue).queue.device == &device;
  };
  const Buffers::Entry* found = written_.find_if(names_it);
  if (found == nullptr) found = read_.find_if(names_it);
  if (found == nullptr) return;
  report_broken(RuleId::kKeyInUse, fmt::format("{}: key {:#x}", device.ibdev, lkey),
                fmt::format("WQE {} of {} names it", found->value.index,
                            name_of(queues_.at(found->value.queue).queue)));
}

std::uint16_t PostedBuffers::end(const void* queue, std::uint16_t otherwise) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.wqes.empty()) return otherwise;
  const PostedWqe& last = found->second.wqes.back().posted;
  return static_cast<std::uint16_t>(last.index + last.strides);
}

}  // namespace softcx
