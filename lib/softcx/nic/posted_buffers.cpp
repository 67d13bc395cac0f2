// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/posted_buffers.hpp"

#include <fmt/format.h>

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
    longest_ = std::max(longest_, buffer.length);
    wqe.buffers.push_back(buffers_.emplace(
        buffer.begin,
        Buffer{buffer.begin + buffer.length, queue.id, buffer.lkey, queue.receives, made.index}));
  }
  posted.wqes.push_back(std::move(wqe));
}

void PostedBuffers::check_overlap(const WatchedQueue& queue, std::uint16_t index,
                                  const PostedBuffer& buffer) {
  const std::uint64_t end = buffer.begin + buffer.length;
  const std::uint64_t from = buffer.begin - std::min(buffer.begin, longest_);
  for (auto at = buffers_.lower_bound(from); at != buffers_.end() && at->first < end; ++at) {
    const Buffer& other = at->second;
    if (other.end <= buffer.begin || (!other.written && !queue.receives)) continue;
    const RuleId rule = other.written && queue.receives ? RuleId::kReceiveBufferOverlap
                                                        : RuleId::kReceiveBufferSent;
    report_broken(
        rule, name_of(queue),
        fmt::format("buffer at {:#x} of {} bytes, WQE {}, overlaps WQE {} of {}, at {:#x} "
                    "of {} bytes",
                    buffer.begin, buffer.length, index, other.index,
                    name_of(queues_.at(other.queue).queue), at->first, other.end - at->first));
    return;
  }
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
    drop(wqe);
  }
}

void PostedBuffers::take(const void* queue, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.wqes.empty()) return;
  Wqe& wqe = found->second.wqes.front();
  std::uint64_t more = bytes - std::exchange(wqe.taken, bytes);
  std::erase_if(wqe.buffers, [&](Buffers::iterator& at) {
    const Buffer buffer = at->second;
    const std::uint64_t begin = at->first;
    const std::uint64_t part = std::min(more, buffer.end - begin);
    if (part == 0) return false;
    more -= part;
    buffers_.erase(at);
    if (begin + part == buffer.end) return true;
    at = buffers_.emplace(begin + part, buffer);
    return false;
  });
}

void PostedBuffers::drop(const Wqe& wqe) {
  for (const auto buffer : wqe.buffers) buffers_.erase(buffer);
}

void PostedBuffers::forget(const void* queue) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return;
  for (const Wqe& wqe : found->second.wqes) drop(wqe);
  queues_.erase(found);
}

void PostedBuffers::key_goes(const Device& device, std::uint32_t lkey) {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, buffer] : buffers_) {
    const WatchedQueue& queue = queues_.at(buffer.queue).queue;
    if (buffer.lkey != lkey || queue.device != &device) continue;
    report_broken(RuleId::kKeyInUse, fmt::format("{}: key {:#x}", device.ibdev, lkey),
                  fmt::format("WQE {} of {} names it", buffer.index, name_of(queue)));
    return;
  }
}

std::uint16_t PostedBuffers::end(const void* queue, std::uint16_t otherwise) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.wqes.empty()) return otherwise;
  const PostedWqe& last = found->second.wqes.back().posted;
  return static_cast<std::uint16_t>(last.index + last.strides);
}

}  // namespace softcx
