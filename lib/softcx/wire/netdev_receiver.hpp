// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receives frames from a packet socket, in batches, as they were on the wire: the kernel takes VLAN
// tags out of frames and leaves checksums of local senders open; both are put back.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/softcx/nic/frame.hpp"

namespace softcx {

class NetdevReceiver {
 public:
  /// `interface_name`: for messages. Throws ringside::Error.
  NetdevReceiver(const std::string& interface_name, int socket);

  /// The next frame, or nullptr. The same frame comes again until pop().
  const Frame* peek() noexcept;
  void pop() noexcept;

  /// Frames that the socket had no room for. Asks the kernel, whose count starts anew each time.
  void update_lost() noexcept;
  std::uint64_t lost() const noexcept { return lost_; }
  /// Frames dropped because they were longer than kLongest (GRO makes such).
  std::uint64_t truncated() const noexcept { return truncated_; }
  /// Frames received from the socket that nobody has popped.
  std::uint64_t waiting() const noexcept { return count_ - next_; }

  static constexpr std::size_t kLongest = 65536;

 private:
  static constexpr int kSocketBuffer = 16 << 20;  ///< bytes that wait while the engine sleeps
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kHeadroom = 4;  ///< for a VLAN tag

  void receive() noexcept;
  /// Counts and skips frames that did not fit their buffers.
  void skip_truncated() noexcept;
  void present(std::size_t at) noexcept;

  int socket_;
  std::vector<std::uint8_t> bytes_;
  std::vector<iovec> buffers_;
  std::vector<std::array<std::uint8_t, 64>> control_;
  std::vector<mmsghdr> messages_;
  std::size_t next_ = 0, count_ = 0;
  std::uint64_t lost_ = 0, truncated_ = 0;
  bool presented_ = false;  ///< frame_ is the one at next_
  Segment segment_{};
  Frame frame_;
};

}  // namespace softcx
