// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/netdev_sender.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace softcx {

NetdevSender::NetdevSender(int socket)
    : socket_(socket), bytes_(kBatch * kLongest), buffers_(kBatch), messages_(kBatch) {
  for (std::size_t i = 0; i < kBatch; ++i) {
    buffers_[i].iov_base = bytes_.data() + i * kLongest;
    messages_[i].msg_hdr.msg_iov = &buffers_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
  }
}

bool NetdevSender::add(const Frame& frame) noexcept {
  if (frame.length > kLongest) {
    refuse(frame.length);
    return true;
  }
  if (first_ + count_ == kBatch) make_room();
  if (count_ == kBatch) return false;
  iovec& buffer = buffers_[first_ + count_++];
  buffer.iov_len = 0;
  for (const Segment& segment : frame.segments) {
    std::memcpy(static_cast<std::uint8_t*>(buffer.iov_base) + buffer.iov_len, segment.data,
                segment.length);
    buffer.iov_len += segment.length;
  }
  return true;
}

void NetdevSender::make_room() noexcept {
  push();
  // The socket took a part of the batch: the buffers of that part go behind the rest.
  std::rotate(buffers_.begin(), buffers_.begin() + static_cast<std::ptrdiff_t>(first_),
              buffers_.end());
  first_ = 0;
}

void NetdevSender::push() noexcept {
  while (count_ != 0) {
    const int sent =
        ::sendmmsg(socket_, &messages_[first_], static_cast<unsigned>(count_), MSG_DONTWAIT);
    if (sent > 0) {
      drop_front(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == ENOBUFS) {
      return;
    } else if (errno != EINTR) {
      refuse(buffers_[first_].iov_len);
      drop_front(1);
    }
  }
}

std::uint64_t NetdevSender::unsent_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t i = first_; i < first_ + count_; ++i) bytes += buffers_[i].iov_len;
  return bytes;
}

void NetdevSender::drop_front(std::size_t count) noexcept {
  first_ += count;
  count_ -= count;
  if (count_ == 0) first_ = 0;
}

void NetdevSender::refuse(std::size_t length) noexcept {
  ++failed_packets_;
  failed_bytes_ += length;
}

}  // namespace softcx
