// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Sends frames on a packet socket, in batches.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "lib/softcx/nic/frame.hpp"

namespace softcx {

class NetdevSender {
 public:
  explicit NetdevSender(int socket);

  /// Copies the frame into the batch. False: the batch is full and the socket takes no more now.
  bool add(const Frame& frame) noexcept;
  /// Sends what the socket takes; the rest stays in the batch.
  void push() noexcept;

  /// Frames that the interface refused after add() (longer than its MTU, interface down).
  std::uint64_t failed_packets() const noexcept { return failed_packets_; }
  std::uint64_t failed_bytes() const noexcept { return failed_bytes_; }

  /// Frames in the batch.
  std::uint64_t unsent_packets() const noexcept { return count_; }
  std::uint64_t unsent_bytes() const noexcept;

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kLongest = 16384;  ///< jumbo frames; what is longer is refused

  void refuse(std::size_t length) noexcept;
  void make_room() noexcept;
  void drop_front(std::size_t count) noexcept;

  int socket_;
  std::vector<std::uint8_t> bytes_;  ///< kBatch buffers of kLongest
  std::vector<iovec> buffers_;
  std::vector<mmsghdr> messages_;
  std::size_t first_ = 0, count_ = 0;  ///< of messages_, what is still to be sent
  std::uint64_t failed_packets_ = 0, failed_bytes_ = 0;
};

}  // namespace softcx
