// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port that is wired to a network interface of the machine, by a packet socket.
#pragma once

#include <string>

#include "lib/base/unique_fd.hpp"
#include "lib/softcx/wire/netdev_receiver.hpp"
#include "lib/softcx/wire/netdev_sender.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class NetdevWire final : public Wire {
 public:
  /// `socket`: a bound AF_PACKET socket (SOCK_RAW) that does not see its own frames; owned from now
  /// on. Throws ringside::Error.
  NetdevWire(const std::string& interface_name, int socket);

  bool transmit(const Frame& frame) override { return sender_.add(frame); }
  const Frame* peek() override { return receiver_.peek(); }
  void pop() override { receiver_.pop(); }
  void push() override { sender_.push(); }
  void flush() override {
    sender_.push();
    receiver_.update_lost();
  }
  int poll_fd() const override { return socket_.get(); }
  WireReport report() const override;

 private:
  ringside::UniqueFd socket_;
  NetdevReceiver receiver_;
  NetdevSender sender_;
};

}  // namespace softcx
