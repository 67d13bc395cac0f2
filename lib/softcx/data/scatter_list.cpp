// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/scatter_list.hpp"

#include <algorithm>
#include <cstring>

namespace softcx {

bool ScatterList::skip(std::uint32_t bytes) noexcept {
  for (;; bytes -= room_) {
    if (!advance() || lkey_ == ringside::kInvalidLkey) return false;
    if (room_ > bytes) break;
  }
  room_ -= bytes;
  address_ += bytes;
  return true;
}

bool ScatterList::holds(std::uint32_t length) const noexcept {
  std::uint64_t room = room_;
  for (const std::uint8_t* at = next_; at != end_ && room < length; at += ringside::kWqeSegment) {
    const ScatterEntry entry{at};
    if (entry.lkey() == ringside::kInvalidLkey) break;
    room += entry.byte_count();
  }
  return room >= length;
}

bool ScatterList::write(const std::uint8_t* from, std::uint32_t length) noexcept {
  while (length != 0) {
    if (room_ == 0 && !advance()) return false;
    const std::uint32_t chunk = std::min(length, room_);
    const Place to = keys_.translate(lkey_, address_, chunk);
    if (to.bytes == nullptr) {
      refused_ = {lkey_, address_, chunk};
      return false;
    }
    if (to.on_gpu()) {
      if (!write_to_gpu(to, from, chunk)) return false;
    } else if (late_.leads_to(keys_.gpu())) {
      late_.writes->add(to.bytes, {from, chunk}, late_.now_ns);
      overtaken_in_ = keys_.gpu();
    } else {
      std::memcpy(to.bytes, from, chunk);
    }
    from += chunk;
    length -= chunk;
    address_ += chunk;
    room_ -= chunk;
  }
  return true;
}

bool ScatterList::write_to_gpu(const Place& to, const std::uint8_t* from,
                               std::uint32_t length) noexcept {
  reaches_gpu_ = true;
  if (writes_ != nullptr && writes_->write(to, from, length)) return true;
  cause_ = Cause::kCopyEngine;
  return false;
}

bool ScatterList::advance() noexcept {
  if (next_ == end_) return false;
  const ScatterEntry entry{next_};
  room_ = entry.byte_count();
  lkey_ = entry.lkey();
  address_ = entry.address();
  next_ += ringside::kWqeSegment;
  return true;
}

}  // namespace softcx
