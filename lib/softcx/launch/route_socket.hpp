// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Requests for network devices, by netlink.
#pragma once

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include <array>
#include <memory>
#include <string>

namespace softcx {

class RouteSocket {
 public:
  /// In the network namespace of the calling thread. Throws ringside::Error.
  RouteSocket();

  /// Sends one request and waits for its acknowledgement. `action` names it in the error.
  void request(nlmsghdr* header, const std::string& action);

 private:
  std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> socket_;
  unsigned sequence_ = 0;
};

/// RTM_NEWLINK about to be filled in.
class LinkMessage {
 public:
  explicit LinkMessage(unsigned flags);
  nlmsghdr* header() { return header_; }
  ifinfomsg* link() { return link_; }

 private:
  std::array<char, 1024> buffer_{};
  nlmsghdr* header_;
  ifinfomsg* link_;
};

/// Brings a device up. Throws ringside::Error.
void raise(RouteSocket& socket, const std::string& name);

}  // namespace softcx
