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

 private:
  static constexpr int kSocketBuffer = 16 << 20;  ///< bytes that wait while the engine sleeps
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kHeadroom = 4;    ///< for a VLAN tag
  static constexpr std::size_t kBuffer = 16384;  ///< a longer frame keeps its length, not its end

  void receive() noexcept;
  void present(std::size_t at) noexcept;

  int socket_;
  std::vector<std::uint8_t> bytes_;
  std::vector<iovec> buffers_;
  std::vector<std::array<std::uint8_t, 64>> control_;
  std::vector<mmsghdr> messages_;
  std::size_t next_ = 0, count_ = 0;
  std::uint64_t lost_ = 0;
  bool presented_ = false;  ///< frame_ is the one at next_
  Segment segment_{};
  Frame frame_;
};

}  // namespace softcx
